//! Names of watches, and what the model sees of them.

use asyncai_watch::{Counts, Failure, FailureKind};

use super::*;

fn watch(name: &str, origin: Origin) -> Listed {
    Listed {
        id: Id::from(format!("{origin:?}-{name}")),
        name: name.to_owned(),
        uri: "memo://notes".to_owned(),
        origin,
        shape: Some(Shape::EventLog),
        counts: Counts { events: 7, notices: 2, ..Counts::default() },
        phase: Phase::Subscribed,
        restore_failed: false,
    }
}

#[test]
fn a_name_can_be_part_of_an_objects_name() {
    for good in ["cm", "a", "bids-2"] {
        assert!(is_name(good), "{good}");
    }
    for bad in ["", "-a", "a-", "A", "a.b", "a b", "ä", &"a".repeat(64)] {
        assert!(!is_name(bad), "{bad}");
    }
}

#[test]
fn a_watch_of_people_and_one_of_the_model_may_have_one_name() {
    let watches = [watch("cm", Origin::Model), watch("cm", Origin::Declared), watch("other", Origin::Model)];
    let (people, model) = named(&watches, "cm");
    assert_eq!(people.map(|watch| watch.origin), Some(Origin::Declared));
    assert_eq!(model.map(|watch| watch.origin), Some(Origin::Model));
    assert_eq!(named(&watches, "none"), (None, None));
}

#[test]
fn a_list_shows_what_the_adr_says_and_a_failed_restore() {
    let mut shown = watch("cm", Origin::Model);
    let expected = json!({"name": "cm", "uri": "memo://notes", "shape": "event-log", "events": 7, "notices": 2});
    assert_eq!(listed(&shown), expected);
    let failure = Failure { kind: FailureKind::ServerDown, message: "gone".to_owned() };
    shown.phase = Phase::Failed { failure, attempts: 5 };
    shown.restore_failed = true;
    assert_eq!(listed(&shown)["restore_failed"], true);
}
