//! Which differences make a write.

use serde_json::json;

use super::covers;

#[test]
fn what_the_api_server_adds_is_no_difference() {
    let desired = json!({"metadata": {"labels": {"a": "1"}}, "spec": {"replicas": 1}});
    let live = json!({"metadata": {"labels": {"a": "1", "b": "2"}, "uid": "u"}, "spec": {"replicas": 1, "x": 5}, "status": {}});
    assert!(covers(&live, &desired));
}

#[test]
fn a_changed_or_missing_value_is_a_difference() {
    let live = json!({"spec": {"replicas": 1}});
    assert!(!covers(&live, &json!({"spec": {"replicas": 0}})));
    assert!(!covers(&live, &json!({"spec": {"paused": true}})));
    assert!(!covers(&live, &json!({"data": {"a": "b"}})));
}

#[test]
fn an_empty_value_says_nothing() {
    assert!(covers(&json!({}), &json!({"spec": {"list": [], "map": {}}})));
}

#[test]
fn foreign_items_beside_ours_are_no_difference_in_merged_lists() {
    let live =
        json!({"containers": [{"name": "injected"}, {"name": "agent", "image": "i", "terminationMessagePath": "/x"}]});
    assert!(covers(&live, &json!({"containers": [{"name": "agent", "image": "i"}]})));
    assert!(!covers(&live, &json!({"containers": [{"name": "agent", "image": "j"}]})));
}

#[test]
fn a_rule_that_somebody_added_to_a_role_is_a_difference() {
    let rule = json!({"apiGroups": [""], "resources": ["pods"], "verbs": ["get"]});
    assert!(covers(&json!({"rules": [rule]}), &json!({"rules": [rule]})));
    assert!(!covers(&json!({"rules": [rule, rule]}), &json!({"rules": [rule]})));
    assert!(!covers(&json!({"rules": [rule]}), &json!({"rules": []})));
}

#[test]
fn quantities_are_compared_by_amount_and_only_where_there_are_quantities() {
    for (live, desired) in
        [("500m", "0.5"), ("1", "1000m"), ("1Gi", "1024Mi"), ("128974848", "128974848"), ("1k", "1e3")]
    {
        let of = |q: &str| json!({"resources": {"limits": {"cpu": q}}});
        assert!(covers(&of(live), &of(desired)), "{live} {desired}");
    }
    assert!(!covers(&json!({"limits": {"cpu": "1"}}), &json!({"limits": {"cpu": "2"}})));
    assert!(!covers(&json!({"args": ["1"]}), &json!({"args": ["1000m"]})));
}
