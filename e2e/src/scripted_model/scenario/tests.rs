//! Tests of reading scenarios.

use serde_json::json;

use super::*;

fn error(yaml: &str) -> String {
    yaml.parse::<Scenario>().expect_err("it is no scenario").to_string()
}

#[test]
fn the_documented_example_is_a_scenario() {
    let documented: String = include_str!("../scenario.rs")
        .lines()
        .filter_map(|line| line.strip_prefix("//! "))
        .skip_while(|line| *line != "```yaml")
        .skip(1)
        .take_while(|line| *line != "```")
        .flat_map(|line| [line, "\n"])
        .collect();
    let scenario: Scenario = documented.parse().unwrap();
    assert_eq!(scenario.rules.len(), 5);
    for (rule, source) in [(1, r#"await watch_start(name="cm", uri="memo://notes")"#), (2, "list_resources()")] {
        let Response::Reply(reply) = &scenario.rules[rule].response else { panic!("a reply") };
        assert_eq!(reply.calls[0].text(), json!({"code": source}).to_string());
        assert_eq!(reply.finish, "tool_calls");
    }
    let Response::Reply(reply) = &scenario.rules[3].response else { panic!("a reply") };
    assert_eq!((reply.text.as_str(), reply.finish.as_str()), ("The report says", "length"));
    let Response::Raw { status, headers, .. } = &scenario.rules[4].response else { panic!("raw") };
    assert_eq!((*status, headers["retry-after"].as_str()), (429, "7"));
}

#[test]
fn an_empty_scenario_says_nothing() {
    let scenario: Scenario = "{}".parse().unwrap();
    let Response::Reply(reply) = scenario.default.response else { panic!("a reply") };
    assert_eq!((reply.text.as_str(), reply.finish.as_str()), ("NO_REPLY", "stop"));
}

#[test]
fn a_rule_must_have_one_answer() {
    let expected = "invalid scenario: rule 1 must have exactly one of reply, code and status";
    assert_eq!(error("rules: [{reply: a}, {times: 2}]"), expected);
    assert_eq!(error("rules: [{reply: a}, {reply: a, status: 500}]"), expected);
    assert_eq!(error("rules: [{reply: a}, {reply: a, code: b}]"), expected);
}

#[test]
fn what_is_unknown_is_refused() {
    assert!(error("rules: [{replay: a}]").contains("replay"));
    assert!(error("rules: [{reply: {text: a, finsh: stop}}]").starts_with("invalid scenario: "));
    assert!(error("rules: [{matches: '(', reply: a}]").starts_with("invalid scenario: rule 0: regex parse error"));
}

#[test]
fn a_rule_fits_by_part_and_pattern() {
    let scenario: Scenario = "rules: [{contains: cm, matches: '^watch', reply: a}]".parse().unwrap();
    let rule = &scenario.rules[0];
    assert!(rule.fits("watch cm", None));
    assert!(!rule.fits("watch pods", None));
    assert!(!rule.fits("please watch cm", None));
}

#[test]
fn results_have_rules_of_their_own() {
    let scenario: Scenario = "rules: [{reply: a}, {contains: cm, result: 'Error$', reply: b}]".parse().unwrap();
    let fits =
        |question, result| -> Vec<bool> { scenario.rules.iter().map(|rule| rule.fits(question, result)).collect() };
    assert_eq!(fits("cm", None), [true, false]);
    assert_eq!(fits("cm", Some("NameError")), [false, true]);
    assert_eq!(fits("pods", Some("NameError")), [false, false]);
    assert_eq!(fits("cm", Some("None")), [false, false]);
}
