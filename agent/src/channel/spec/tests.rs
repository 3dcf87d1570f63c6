//! Tests of which channels there are.

use serde_json::{Value, json};

use super::*;

fn spec(channels: &Value) -> AgentSpec {
    serde_json::from_value(json!({"channels": channels})).unwrap()
}

fn irc(name: &str, channel: &str) -> Value {
    json!({"name": name, "irc": {"server": "irc", "nick": "alice", "channel": channel}})
}

fn selected(channels: &Value, names: &[&str]) -> Result<Vec<String>, String> {
    let names = names.iter().map(|name| (*name).to_owned()).collect::<Vec<_>>();
    select("alice", &spec(channels), &names).map_err(|unknown| unknown.to_string())
}

#[test]
fn a_channel_is_named_as_in_the_spec_or_as_on_irc() {
    let channels = json!([irc("ops", "#Ops"), irc("dev", "#dev")]);
    let names = ["#dev", "ops", "#ops", "console"];
    assert_eq!(selected(&channels, &names), Ok(["dev", "ops", "console"].map(str::to_owned).to_vec()));
}

#[test]
fn an_unknown_channel_is_answered_with_those_there_are() {
    let wrong = selected(&json!([irc("ops", "#ops")]), &["#opps"]).unwrap_err();
    assert_eq!(wrong, "unknown channel \"#opps\"; the agent alice has: ops (#ops), console");
}

#[test]
fn a_name_that_two_channels_share_is_refused() {
    let wrong = selected(&json!([irc("a", "#ops"), irc("b", "#ops")]), &["#ops"]).unwrap_err();
    assert_eq!(wrong, "channel \"#ops\" may be a or b: name one of these");
}

#[test]
fn a_missing_secret_is_a_reason_and_no_secret_is_shown() {
    let reference = json!({"name": "slack", "key": "url"});
    let spec = spec(&json!([{"name": "hook", "webhook": {"urlSecretRef": reference}}]));
    let url = |secrets: &Secrets| match resolve(&spec, secrets).remove(0).kind {
        Kind::Webhook(config) => config.url,
        Kind::Irc(_) => panic!("no webhook"),
    };
    assert_eq!(url(&Secrets::given([]).unwrap()).unwrap_err(), "no key \"url\" in a Secret \"slack\"");
    let given = ("slack".to_owned(), "url".to_owned(), b"https://hook/T0".to_vec());
    let url = url(&Secrets::given([given]).unwrap());
    assert_eq!(format!("{url:?}"), "Ok(Secret(…))");
    assert_eq!(url.unwrap().0, "https://hook/T0");
}
