//! Tests of the built-in prompts.

use super::*;

#[test]
fn a_fleet_is_told_all_that_a_channel_is() {
    assert!(Prompt::Fleet.text().starts_with(Prompt::Channel.text()));
    assert!(Prompt::Fleet.text().len() > Prompt::Channel.text().len());
}

#[test]
fn no_line_of_a_prompt_is_a_no_reply_to_copy_by_accident() {
    assert!(Prompt::Fleet.text().lines().all(|line| line.trim() != "NO_REPLY"));
}
