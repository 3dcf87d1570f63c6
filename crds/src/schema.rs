//! From the schemas that are derived from the types to those that an API server takes, and a lint over them.

mod fix;
mod fragment;
mod lint;
mod manifest;
pub mod pattern;

pub use self::fix::{crd, crds, openapi};
pub(crate) use self::fragment::{conditions, node_selector, quantities, time};
pub use self::lint::lint;
pub use self::manifest::{Target, manifests};
