//! The patterns of strings, in the syntax that Go's and Rust's regular expressions share, and their meaning.

/// A DNS label, as most names of Kubernetes are.
pub const DNS_LABEL: &str = "^[a-z0-9]([-a-z0-9]*[a-z0-9])?$";
/// DNS labels joined by dots.
pub const DNS_SUBDOMAIN: &str = r"^[a-z0-9]([-a-z0-9]*[a-z0-9])?(\.[a-z0-9]([-a-z0-9]*[a-z0-9])?)*$";
/// A key of a Secret, which is also a file name; neither `.` nor begins with `..`.
pub const SECRET_KEY: &str = r"^\.?[-_a-zA-Z0-9][-._a-zA-Z0-9]*$";
/// An http or https URL with a host and no user information.
pub const HTTP_URL: &str = r"^https?://[^\x00-\x20\x7f/?#@]+([/?#][^\x00-\x20\x7f]*)?$";
/// A mark URL with a host.
pub const MARK_URL: &str = r"^mark://[^\x00-\x20\x7f/?#@]+(/[^\x00-\x20\x7f]*)?$";
/// A URI: a scheme, and something after it, without blanks.
pub const URI: &str = r"^[A-Za-z][A-Za-z0-9+.-]*:[^\x00-\x20\x7f]+$";
/// An absolute path.
pub const ABSOLUTE_PATH: &str = r"^/[^\x00]*$";
/// An absolute path that can be a mount point.
pub const MOUNT_PATH: &str = r"^/[^\x00:]*$";
/// The name of an HTTP header.
pub const HEADER_NAME: &str = "^[A-Za-z0-9!#$%&'*+.^_`|~-]+$";
/// The value of an HTTP header.
pub const HEADER_VALUE: &str = r"^[^\x00-\x08\x0a-\x1f\x7f]*$";
/// The name of an environment variable.
pub const ENV_NAME: &str = "^[A-Za-z_][A-Za-z0-9_]*$";
/// A word without blanks.
pub const WORD: &str = r"^[^\x00-\x20\x7f]+$";
/// A channel of an IRC server.
pub const IRC_CHANNEL: &str = r"^[#&+!][^\x00-\x20\x7f,:]+$";
/// A day.
pub const DAY: &str = "^[0-9]{4}-[0-9]{2}-[0-9]{2}$";
/// A resource quantity of Kubernetes.
pub const QUANTITY: &str = r"^(\+|-)?(([0-9]+(\.[0-9]*)?)|(\.[0-9]+))(([KMGTPE]i)|[numkMGTPE]|([eE](\+|-)?(([0-9]+(\.[0-9]*)?)|(\.[0-9]+))))?$";
/// The type of a condition.
pub const CONDITION_TYPE: &str = "^[A-Z][A-Za-z0-9]*$";
/// The reason of a condition.
pub const REASON: &str = "^[A-Za-z]([A-Za-z0-9_,:]*[A-Za-z0-9_])?$";
/// The value of a label.
pub const LABEL_VALUE: &str = "^(([A-Za-z0-9][-A-Za-z0-9_.]*)?[A-Za-z0-9])?$";

/// What a string of the pattern is, to follow "must be"; `None` for a pattern that is not listed here.
pub fn meaning(pattern: &str) -> Option<&'static str> {
    Some(match pattern {
        DNS_LABEL => "lower-case letters, digits and '-', not at either end",
        DNS_SUBDOMAIN => "lower-case letters, digits, '-' and '.', with a letter or digit at the ends of each part",
        SECRET_KEY => "letters, digits, '-', '_' and '.', such as token or tls.crt",
        HTTP_URL => "an http:// or https:// URL with a host and no user",
        MARK_URL => "a mark:// URL with a host and no user",
        URI => "a URI: a scheme, ':' and the rest, without blanks",
        ABSOLUTE_PATH => "an absolute path",
        MOUNT_PATH => "an absolute path without ':'",
        HEADER_NAME => "the name of an HTTP header: letters, digits and '-'",
        HEADER_VALUE => "one line",
        ENV_NAME => "letters, digits and '_', not beginning with a digit",
        WORD => "one word without blanks",
        IRC_CHANNEL => "an IRC channel, such as \"#ops\"",
        DAY => "a day, such as 2026-11-30",
        QUANTITY => "a quantity, such as 100m, 1.5 or 256Mi",
        CONDITION_TYPE | REASON => "a word in CamelCase",
        LABEL_VALUE => "letters, digits, '-', '_' and '.', with a letter or digit at the ends",
        _ => return None,
    })
}
