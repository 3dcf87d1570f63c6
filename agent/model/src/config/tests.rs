//! Tests of the settings.

use super::*;

#[test]
fn a_slash_at_the_end_of_the_url_does_not_matter() {
    for url in ["http://llm.models.svc/v1", "http://llm.models.svc/v1/"] {
        assert_eq!(Config::new(url, "m").endpoint().unwrap(), "http://llm.models.svc/v1");
    }
}

#[test]
fn a_key_is_never_printed() {
    let config = Config { api_key: Some("sk-canary".into()), ..Config::new("http://llm", "m") };
    assert!(!format!("{config:?}").contains("canary"));
    let header = config.api_key.unwrap().header().unwrap();
    assert!(!format!("{header:?}").contains("canary"));
}
