//! Which URIs are understood, and what the others are told.

use super::*;

fn events(uri: &str) -> Target {
    match Uri::parse(uri, None) {
        Ok(Uri::Events(target)) => target,
        other => panic!("{uri}: {other:?}"),
    }
}

fn refused(uri: &str) -> String {
    Uri::parse(uri, Some("main")).expect_err(uri).to_string()
}

#[test]
fn a_collection_in_all_namespaces() {
    let target = events("kcp-events://watch/root:app/configmaps?namespace=*");
    assert_eq!(target.workspace.path(), "/clusters/root:app");
    assert_eq!(target.resource, "configmaps");
    assert_eq!(target.namespace, Namespace::All);
    assert_eq!((target.label_selector, target.field_selector), (None, None));
}

#[test]
fn no_namespace_means_the_default_one() {
    assert_eq!(events("kcp-events://watch/local/pods").namespace, Namespace::Default);
    assert_eq!(events("kcp-events://watch/local/pods?namespace=").namespace, Namespace::Default);
    assert_eq!(events("kcp-events://watch/local/pods").workspace.path(), "");
}

#[test]
fn an_expanded_template_is_decoded() {
    let target = events(
        "kcp-events://watch/root%3Aapp/deployments.apps?namespace=%2A&labelSelector=app%20in%20%28a%2Cb%29&fieldSelector=metadata.name%3Dx",
    );
    assert_eq!(target.workspace.to_string(), "root:app");
    assert_eq!(target.resource, "deployments.apps");
    assert_eq!(target.namespace, Namespace::All);
    assert_eq!(target.label_selector.as_deref(), Some("app in (a,b)"));
    assert_eq!(target.field_selector.as_deref(), Some("metadata.name=x"));
}

#[test]
fn raw_selectors_are_taken_as_they_are() {
    assert_eq!(
        events("kcp-events://watch/local/pods?labelSelector=a=b,c!=d").label_selector.as_deref(),
        Some("a=b,c!=d")
    );
}

#[test]
fn the_resources_of_a_workspace() {
    let parsed = Uri::parse("kcp-api://root:app/resources?kcp=main", Some("main"));
    assert_eq!(parsed, Ok(Uri::Resources(Workspace("root:app".into()))));
}

#[test]
fn kcp_picks_the_server_by_name() {
    assert!(Uri::parse("kcp-events://watch/local/pods?kcp=main", Some("main")).is_ok());
    assert_eq!(refused("kcp-events://watch/local/pods?kcp=other"), r#"kcp: this server is "main", not "other""#);
    let unnamed = Uri::parse("kcp-events://watch/local/pods?kcp=main", None).expect_err("unnamed");
    assert!(unnamed.to_string().contains("--name"), "{unnamed}");
}

#[test]
fn a_path_cannot_leave_its_workspace() {
    for workspace in [
        "",
        "*",
        "..",
        ".",
        "root:app/../../x",
        "%2e%2e%2f",
        "root:%2e%2e",
        "root::app",
        ":root",
        "root:",
        "Root",
        "root:app%2Fx",
        "-root",
        "root:-app",
        "root app",
        "--server=http://127.0.0.1:1",
        "root%",
        "root%3",
        "röt",
    ] {
        refused(&format!("kcp-events://watch/{workspace}/pods"));
        refused(&format!("kcp-api://{workspace}/resources"));
    }
}

#[test]
fn an_encoded_path_is_told_what_may_be_encoded() {
    for uri in ["kcp-events://watch/%2e%2e/pods", "kcp-events://watch/local/pods%2Flog", "kcp-api://root%2Fx/resources"]
    {
        assert!(refused(uri).contains("must not be percent-encoded, except ':' as %3A"), "{uri}");
    }
}

#[test]
fn a_resource_cannot_be_a_flag_nor_a_path() {
    for resource in [
        "",
        "-o=json",
        "--server=http://127.0.0.1:1",
        "--token=",
        "pods/",
        "pods/log",
        "../secrets",
        "pods;touch",
        "pods$(id)",
        "pods`id`",
        "Pods",
        "pods.",
        ".apps",
        "pods%2Flog",
        "pods%2e",
        "pods%00",
        "a..b",
    ] {
        refused(&format!("kcp-events://watch/local/{resource}"));
    }
}

#[test]
fn parameters_are_checked_one_by_one() {
    assert_eq!(
        refused("kcp-events://watch/local/pods?namespaces=a"),
        r#"query: "namespaces" is unknown, allowed are namespace, labelSelector, fieldSelector, kcp"#,
    );
    assert_eq!(refused("kcp-events://watch/local/pods?namespace=a&namespace=b"), "namespace: is given twice");
    for query in [
        "namespace=-n",
        "namespace=a%2Fb",
        "namespace=..",
        "namespace=%zz",
        "labelSelector=--server%3Dx",
        "labelSelector=a%0Ab",
        "fieldSelector=-o",
        "fieldSelector=%00",
        "labelSelector=%ff",
        "labelSelector=%4",
    ] {
        refused(&format!("kcp-events://watch/local/pods?{query}"));
    }
    assert!(
        refused(&format!("kcp-events://watch/local/pods?labelSelector={}", "a".repeat(1025))).contains("at most 1024")
    );
}

#[test]
fn other_uris_are_told_the_templates() {
    for uri in [
        "",
        "http://x",
        "kcp-events://",
        "kcp-events://watch/local",
        "kcp-events://list/local/pods",
        "kcp-api://local",
        "kcp-events://watch/local/pods#x",
    ] {
        refused(uri);
    }
    assert!(refused("memo://notes").contains(EVENTS_TEMPLATE));
}

#[test]
fn object_names_stay_in_their_segment() {
    assert_eq!(object_name("system:node-proxier"), Ok("system:node-proxier"));
    for name in ["", ".", "..", "-x", "a/b", "a%2Fb", "a b", "a\n", "a?watch=true"] {
        assert!(object_name(name).is_err(), "{name:?}");
    }
}
