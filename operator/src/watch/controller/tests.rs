//! Who is woken by what.

use asyncai_crds::{WatchStatus, watch::Counts};
use kube::runtime::reflector::ObjectRef;

use super::{concerns_watches, on_watch};
use crate::fixtures::{NAMESPACE, agent, agent_said, said, watch, watch_said};

#[test]
fn a_watch_is_woken_by_its_spec_and_by_the_agents_conditions() {
    let cm = Some(ObjectRef::new("cm").within(NAMESPACE));
    let before = watch_said(watch("cm", "alice"), vec![said("Subscribed=False/Connecting", 1)]);
    assert_eq!(on_watch((None, Some(&before))), cm);
    let mut edited = before.clone();
    edited.metadata.generation = Some(2);
    let subscribed = watch_said(watch("cm", "alice"), vec![said("Subscribed=True/Subscribed", 1)]);
    let accepted =
        watch_said(before.clone(), vec![said("Subscribed=False/Connecting", 1), said("Accepted=True/Accepted", 1)]);
    let failing = watch_said(
        before.clone(),
        vec![said("Subscribed=False/Connecting", 1), said("FilterFailing=True/FilterFailing", 1)],
    );
    for after in [edited, subscribed, accepted, failing] {
        assert_eq!(on_watch((Some(&before), Some(&after))), cm, "{after:?}");
    }
    assert_eq!(on_watch((Some(&before), None)), None);
}

#[test]
fn a_watch_is_not_woken_by_cursors_counts_or_the_operators_own_conditions() {
    let before = watch("cm", "alice");
    let mut after = watch("cm", "alice");
    let conditions = vec![said("Ready=True/Ready", 1), said("ResolvedRefs=True/ResolvedRefs", 1)];
    let counts = Some(Counts { events: 9, ..Counts::default() });
    after.status = Some(WatchStatus { conditions, counts, ..WatchStatus::default() });
    assert_eq!(on_watch((Some(&before), Some(&after))), None);
}

#[test]
fn an_agent_concerns_its_watches_by_being_there_by_being_accepted_and_by_sleeping() {
    let before = agent("alice");
    assert!(concerns_watches((None, Some(&before))));
    assert!(concerns_watches((Some(&before), None)));
    let mut asleep = before.clone();
    asleep.spec.suspend = true;
    let refused = agent_said(before.clone(), vec![said("Accepted=False/NoModel", 1)]);
    assert!(concerns_watches((Some(&before), Some(&asleep))));
    assert!(concerns_watches((Some(&before), Some(&refused))));
    let mut edited = agent_said(before.clone(), vec![said("Ready=True/Ready", 1)]);
    edited.metadata.generation = Some(2);
    assert!(!concerns_watches((Some(&before), Some(&edited))));
}
