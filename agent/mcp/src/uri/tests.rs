//! Tests of template matching.

use super::Template;

#[track_caller]
fn check(template: &str, matching: &[&str], others: &[&str]) {
    let parsed = Template::parse(template).expect("a valid template");
    for uri in matching {
        assert!(parsed.matches(uri), "{template} must match {uri}");
    }
    for uri in others {
        assert!(!parsed.matches(uri), "{template} must not match {uri}");
    }
}

#[test]
fn query_variables_are_optional_and_come_in_any_order() {
    check(
        "kcp-events://watch/{workspace}/{resource}{?namespace,labelSelector,fieldSelector,kcp}",
        &[
            "kcp-events://watch/root:app/configmaps",
            "kcp-events://watch/root:app/configmaps?namespace=*",
            "kcp-events://watch/root:app/deployments.apps?labelSelector=a%3Db&namespace=x",
            "kcp-events://watch/local/pods?kcp=edge&fieldSelector=spec.nodeName=a",
        ],
        &[
            "kcp-events://watch/root:app",
            "kcp-events://watch/root:app/configmaps/x",
            "kcp-events://watch/root:app/configmaps?name=x",
            "kcp-events://watch/root:app/configmaps?namespace=x#kcp",
            "kcp-events://watch//configmaps",
            "other://watch/root:app/configmaps",
        ],
    );
}

#[test]
fn a_reserved_variable_crosses_slashes() {
    check("file:///{+path}", &["file:///etc/hosts", "file:///a?b#c"], &["file:///", "file://etc/hosts"]);
    check("mark-events://watch/{+path}", &["mark-events://watch/a/b"], &["mark://watch/a"]);
}

#[test]
fn a_simple_variable_stays_in_its_segment() {
    check("memo://{key}", &["memo://notes", "memo://a,b"], &["memo://", "memo://a/b", "memo://a?b"]);
    check("x://{a}-{b}/{c:3}", &["x://1-2/3"], &["x://1/3", "x://1-2/"]);
}

#[test]
fn path_label_parameter_and_fragment_expressions() {
    check("x://h{/a,b}", &["x://h", "x://h/1", "x://h/1/2"], &["x://h/1/2/3", "x://h1"]);
    check("x://h{/path*}", &["x://h/1/2/3/4"], &["x://h?1"]);
    check("x://h/f{.ext}", &["x://h/f", "x://h/f.json"], &["x://h/f/json"]);
    check("x://h/f{;a,b}", &["x://h/f", "x://h/f;b=2;a", "x://h/f;a=1"], &["x://h/f;c=1"]);
    check("x://h{#part}", &["x://h", "x://h#top"], &["x://h/top"]);
    check("x://h?fixed=1{&more}", &["x://h?fixed=1", "x://h?fixed=1&more=2"], &["x://h?more=2"]);
    check("x://h{?any*}", &["x://h?whatever=1&else=2"], &["x://h/?whatever=1"]);
}

#[test]
fn literals_are_not_patterns() {
    check("x://a.b+c/{d}", &["x://a.b+c/1"], &["x://aXb+c/1", "x://a.bbc/1"]);
}

#[test]
fn what_is_no_template_is_refused() {
    let long = "x".repeat(2049);
    for text in ["x://{", "x://{}", "x://}", "x://{a", "x://{=a}", "x://{?}", "x://{a b}", &long] {
        assert!(Template::parse(text).is_none(), "{text}");
    }
}
