//! Tests of addresses.

use super::address;

#[test]
fn a_bare_port_is_on_loopback() {
    for text in ["8080", ":8080", "localhost:8080", "127.0.0.1:8080"] {
        assert_eq!(address(text).expect(text).to_string(), "127.0.0.1:8080");
    }
}

#[test]
fn another_address_must_be_written_out() {
    assert_eq!(address("0.0.0.0:80").expect("an address").to_string(), "0.0.0.0:80");
    assert_eq!(address("[::1]:80").expect("an address").to_string(), "[::1]:80");
}

#[test]
fn what_is_no_address_is_told_what_would_be_one() {
    for text in ["", "host", "host:80", "0.0.0.0", "70000"] {
        let error = address(text).expect_err(text).to_string();
        assert!(error.contains("write PORT, IP:PORT or localhost:PORT"), "{error}");
    }
}
