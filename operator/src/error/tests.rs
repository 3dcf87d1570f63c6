//! How failures are worded.

use std::io;

use kube::{core::Status, runtime::watcher};

use super::{Error, said};

fn refused() -> kube::Error {
    kube::Error::Api(Status::failure("roles is forbidden", "Forbidden").with_code(403).boxed())
}

#[test]
fn what_the_api_server_said_stands_alone() {
    let error = Error::Api { action: "apply", object: "Role team/a".into(), source: refused() };
    assert_eq!(error.to_string(), "apply Role team/a: roles is forbidden");
    assert_eq!(said(&watcher::Error::InitialListFailed(refused())), "roles is forbidden");
}

#[test]
fn a_connection_that_failed_is_told_down_to_its_cause_and_once() {
    let error = kube::Error::Service(Box::new(io::Error::other("connection refused")));
    let text = said(&watcher::Error::InitialListFailed(error));
    assert_eq!(text.matches("connection refused").count(), 1, "{text}");
}
