//! Bounds that several files hold to.

use std::time::Duration;

/// The largest message that is accepted, in bytes; also the library's own bound for stdio.
pub(crate) const LARGEST: usize = 16 * 1024 * 1024;
/// A server that breaks off sooner than this after an acknowledgement would do so for ever.
pub(crate) const STEADY: Duration = Duration::from_secs(1);
