//! Tests of routing.

use std::sync::Arc;

use rmcp::model::{Resource, ResourceTemplate};

use super::{Candidate, Known, Route, route};
use crate::catalogue::Catalogue;

struct Server {
    modern: bool,
    subscribe: bool,
    lists: &'static [&'static str],
    templates: &'static [&'static str],
}

const NONE: Server = Server { modern: true, subscribe: false, lists: &[], templates: &[] };
const WATCHABLE: Server = Server { subscribe: true, ..NONE };

fn up(server: &Server) -> Candidate {
    let resources = server.lists.iter().map(|uri| Resource::new(*uri, "r"));
    let templates = server.templates.iter().map(|uri| ResourceTemplate::new(*uri, "t"));
    Candidate::Known(Known {
        version: String::new(),
        modern: server.modern,
        subscribe: server.subscribe,
        resources: true,
        catalogue: Arc::new(Catalogue::of(resources.collect(), templates.collect())),
    })
}

const PENDING: Candidate = Candidate::Connecting;
const FAILED: Candidate = Candidate::Down(String::new());

#[test]
fn an_exact_listing_comes_before_a_template() {
    let template = Server { templates: &["x://{a}"], ..WATCHABLE };
    let exact = Server { lists: &["x://1"], ..WATCHABLE };
    let servers = [up(&template), up(&exact)];
    assert_eq!(route(&servers, "x://1"), Route::To(1));
    assert_eq!(route(&servers, "x://2"), Route::To(0));
}

#[test]
fn a_template_comes_before_the_first_watchable_server() {
    let template = Server { templates: &["x://{a}"], ..NONE };
    let servers = [up(&WATCHABLE), up(&template)];
    assert_eq!(route(&servers, "x://1"), Route::To(1));
    assert_eq!(route(&servers, "y://1"), Route::To(0));
}

#[test]
fn the_first_watchable_server_takes_what_nobody_lists() {
    let old = Server { modern: false, subscribe: true, ..NONE };
    assert_eq!(route(&[up(&NONE), up(&old), up(&WATCHABLE)], "y://1"), Route::To(2));
    assert_eq!(route(&[up(&NONE), up(&old)], "y://1"), Route::To(1));
    assert_eq!(route(&[up(&NONE)], "y://1"), Route::To(0));
    assert_eq!(route(&[], "y://1"), Route::Nowhere);
}

#[test]
fn what_nobody_claims_is_left_to_a_server_that_never_came_up() {
    let claimed = Server { lists: &["x://1"], templates: &["x://{a}"], ..WATCHABLE };
    let servers = [up(&claimed), FAILED];
    assert_eq!(route(&servers, "x://1"), Route::To(0));
    assert_eq!(route(&servers, "x://2"), Route::To(0));
    assert_eq!(route(&servers, "y://1"), Route::Down { index: 1, message: String::new() });
    assert_eq!(route(&[FAILED, PENDING], "y://1"), Route::Wait);
}

#[test]
fn only_an_exact_listing_is_decided_before_all_have_been_heard_of() {
    let exact = Server { lists: &["x://1"], templates: &["x://{a}"], ..WATCHABLE };
    assert_eq!(route(&[PENDING, up(&exact)], "x://1"), Route::To(1));
    assert_eq!(route(&[PENDING, up(&exact)], "x://2"), Route::Wait);
}
