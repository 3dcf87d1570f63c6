//! Which server a kubeconfig means, and whose token.

use super::*;

#[test]
fn a_service_account_is_namespace_and_name() {
    let account: ServiceAccount = "kube-system/reader.v1".parse().expect("an account");
    assert_eq!((account.namespace.as_str(), account.name.as_str()), ("kube-system", "reader.v1"));
    for text in ["", "a", "/a", "a/", "a/b/c", "a/../b", "A/b", "a b/c", "a/b?x=y"] {
        assert!(text.parse::<ServiceAccount>().is_err(), "{text:?}");
    }
}

#[test]
fn another_workspace_replaces_that_of_the_kubeconfig() {
    let base = |url: &'static str| without_workspace(&http::Uri::from_static(url)).expect(url).to_string();
    assert_eq!(base("https://kcp:6443/clusters/root:app"), "https://kcp:6443/");
    assert_eq!(base("https://kcp:6443"), "https://kcp:6443/");
    assert_eq!(base("https://front/kcp/clusters/root"), "https://front/kcp");
}

#[test]
fn a_cluster_is_named_by_address_and_authority() {
    let config = |url: &'static str, ca: &[u8]| {
        let mut config = Config::new(http::Uri::from_static(url));
        config.root_cert = Some(vec![ca.to_vec()]);
        identity(&config)
    };
    assert_eq!(config("https://a", b"1"), config("https://a", b"1"));
    assert_ne!(config("https://a", b"1"), config("https://b", b"1"));
    assert_ne!(config("https://a", b"1"), config("https://a", b"2"));
    assert_eq!(config("https://a", b"1").len(), 16);
}
