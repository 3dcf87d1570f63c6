//! The engine under random histories, beside a server and a reader that are naive enough to be right.

#![expect(clippy::disallowed_methods, clippy::expect_used, reason = "a test may fail, and starts at any time")]

mod reader;
mod server;
mod state;
mod subject;

use proptest::prelude::*;
use proptest_state_machine::{ReferenceStateMachine, StateMachineTest, prop_state_machine};

use crate::server::Server;
use crate::subject::Subject;

/// Something that happens: to the server, to the connection, to the process or to the agent.
#[derive(Clone, Debug)]
enum Transition {
    /// The source has events: for each size one unit of so many events; the last may be left open to grow.
    Append(Vec<usize>, bool),
    /// The open unit gets one more event.
    Grow,
    /// The source says that nothing else happened.
    Bookmark,
    /// The server forgets its oldest unit.
    Evict,
    /// The server starts anew, with another epoch.
    Restart,
    Updated,
    Acknowledge,
    Refuse,
    End,
    AnswerRead,
    FailRead,
    /// The filter is edited.
    Edit,
    /// The filter that is being checked is valid, or not.
    Check(bool),
    /// The filter answers the oldest question: drop it, tell it, or fail.
    AnswerFilter(Answer),
    /// The agent has seen the notices that are out; `true`: all, else every second.
    Seen(bool),
    Pass(u64),
    Suspend(bool),
    /// The process dies; the next one has the last status.
    Crash,
    /// The process ends in good order.
    Stop,
}

#[derive(Clone, Copy, Debug)]
enum Answer {
    Drop,
    Tell,
    Fail,
}

struct Reference;

impl ReferenceStateMachine for Reference {
    type State = Server;
    type Transition = Transition;

    fn init_state() -> BoxedStrategy<Self::State> {
        any::<[bool; 3]>().prop_map(|[plain, filtered, model]| Server::new(plain, filtered, model)).boxed()
    }

    fn transitions(server: &Self::State) -> BoxedStrategy<Self::Transition> {
        let sizes = if server.plain { 1..2_usize } else { 1..4 };
        let answer = prop_oneof![3 => Just(Answer::Tell), 3 => Just(Answer::Drop), 1 => Just(Answer::Fail)];
        prop_oneof![
            8 => (prop::collection::vec(sizes, 1..4), any::<bool>()).prop_map(|(sizes, open)| Transition::Append(sizes, open)),
            1 => (prop::collection::vec(Just(1), 120..260), Just(false)).prop_map(|(sizes, open)| Transition::Append(sizes, open)),
            3 => Just(Transition::Grow),
            2 => Just(Transition::Bookmark),
            3 => Just(Transition::Evict),
            1 => Just(Transition::Restart),
            6 => Just(Transition::Updated),
            5 => Just(Transition::Acknowledge),
            1 => Just(Transition::Refuse),
            2 => Just(Transition::End),
            8 => Just(Transition::AnswerRead),
            1 => Just(Transition::FailRead),
            1 => Just(Transition::Edit),
            4 => prop::bool::weighted(0.8).prop_map(Transition::Check),
            8 => answer.prop_map(Transition::AnswerFilter),
            4 => any::<bool>().prop_map(Transition::Seen),
            6 => prop_oneof![0_u64..6_000, 0_u64..120_000, Just(3_600_000)].prop_map(Transition::Pass),
            1 => any::<bool>().prop_map(Transition::Suspend),
            1 => Just(Transition::Crash),
            1 => Just(Transition::Stop),
        ]
        .boxed()
    }

    fn apply(mut server: Self::State, transition: &Self::Transition) -> Self::State {
        match transition {
            Transition::Append(sizes, open) => server.append(sizes, *open),
            Transition::Grow => server.grow(),
            Transition::Bookmark => server.bookmark(),
            Transition::Evict => server.evict(),
            Transition::Restart => server.restart(),
            _ => {}
        }
        server
    }
}

impl StateMachineTest for Subject {
    type SystemUnderTest = Subject;
    type Reference = Reference;

    fn init_test(server: &Server) -> Self::SystemUnderTest {
        Subject::new(server)
    }

    fn apply(mut subject: Self::SystemUnderTest, server: &Server, transition: Transition) -> Self::SystemUnderTest {
        subject.apply(server, &transition);
        subject
    }

    fn teardown(mut subject: Self::SystemUnderTest, server: Server) {
        subject.finish(&server);
    }
}

prop_state_machine! {
    #![proptest_config(ProptestConfig { max_shrink_iters: 20_000, ..ProptestConfig::default() })]

    /// No event is lost, doubled or out of order; each hole is one `GAP`; the cursor never goes back within an epoch
    /// nor beyond what was seen or dropped; and when everything was seen it stands at the head. Filters see nothing
    /// that they were not checked for, and only a watch of the model whose filter was invalid at the start is deleted.
    #[test]
    fn every_event_is_told_once_or_reported_missing(sequential 1..80 => Subject);
}
