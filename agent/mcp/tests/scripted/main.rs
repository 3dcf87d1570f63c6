//! The client against servers whose every answer is written down.
#![expect(
    clippy::expect_used,
    clippy::needless_pass_by_value,
    clippy::unwrap_used,
    reason = "helpers of tests, which json! gives values"
)]

mod checked;
mod lists;
mod old;
mod reads;
mod routes;
mod script;
mod watches;
