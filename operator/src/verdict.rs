//! The `Ready` condition and what goes with it: how Agents and Watches say how they are, in words that kstatus knows.

use asyncai_crds::{
    Condition, Reason, Time,
    condition::{self, READY, RECONCILING, STALLED, SUSPENDED, Status},
};

/// Conditions of which the operator is the only writer, beside the `Accepted` and `ModelWatchesDenied` of Agents and the
/// `ResolvedRefs` of Watches.
const OURS: &[&str] = &[READY, STALLED, RECONCILING, SUSPENDED];

/// How something is.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Verdict {
    status: Status,
    reason: String,
    message: String,
    outlook: Outlook,
}

/// What is to be expected of it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Outlook {
    /// It stays so until something else changes.
    Settled,
    /// Work is under way.
    Reconciling,
    /// It stays so until somebody acts.
    Stalled,
    /// It stays so because the spec wants it.
    Suspended,
}

impl Verdict {
    fn new(status: Status, reason: impl Into<Word>, message: impl Into<String>, outlook: Outlook) -> Self {
        Self { status, reason: reason.into().0, message: message.into(), outlook }
    }

    /// Everything works.
    pub(crate) fn ready(message: impl Into<String>) -> Self {
        Self::new(Status::True, Reason::Ready, message, Outlook::Settled)
    }

    /// Nothing works, as it was asked for.
    pub(crate) fn suspended(message: impl Into<String>) -> Self {
        Self::new(Status::True, Reason::Suspended, message, Outlook::Suspended)
    }

    /// Not yet.
    pub(crate) fn progressing(reason: impl Into<Word>, message: impl Into<String>) -> Self {
        Self::new(Status::False, reason, message, Outlook::Reconciling)
    }

    /// Something is wrong that may pass.
    pub(crate) fn failing(reason: impl Into<Word>, message: impl Into<String>) -> Self {
        Self::new(Status::False, reason, message, Outlook::Settled)
    }

    /// Something is wrong that will not pass by itself.
    pub(crate) fn stalled(reason: impl Into<Word>, message: impl Into<String>) -> Self {
        Self::new(Status::False, reason, message, Outlook::Stalled)
    }

    /// Nobody can tell.
    pub(crate) fn unknown(reason: impl Into<Word>, message: impl Into<String>) -> Self {
        Self::new(Status::Unknown, reason, message, Outlook::Settled)
    }

    /// `Ready`, and what is True beside it.
    pub(crate) fn conditions(&self, generation: i64, now: &Time) -> Vec<Condition> {
        let beside = match self.outlook {
            Outlook::Settled => None,
            Outlook::Reconciling => Some(RECONCILING),
            Outlook::Stalled => Some(STALLED),
            Outlook::Suspended => Some(SUSPENDED),
        };
        let condition = |type_, status| Condition {
            reason: self.reason.clone(),
            ..condition::new(type_, status, Reason::Pending, &self.message, generation, now)
        };
        [condition(READY, self.status)].into_iter().chain(beside.map(|type_| condition(type_, Status::True))).collect()
    }
}

/// The reason of a condition: one of ours, or the word that the agent wrote, which may be newer than this operator.
pub(crate) struct Word(String);

impl From<Reason> for Word {
    fn from(reason: Reason) -> Self {
        Self(reason.as_str().to_owned())
    }
}

impl From<&Condition> for Word {
    fn from(condition: &Condition) -> Self {
        Self(condition.reason.clone())
    }
}

/// Whether the operator's conditions, `also` among them, are the same in both sets.
pub(crate) fn same(also: &[&str], old: &[Condition], new: &[Condition]) -> bool {
    OURS.iter().chain(also).all(|type_| condition::find(old, type_) == condition::find(new, type_))
}
