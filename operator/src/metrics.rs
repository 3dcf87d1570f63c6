//! What the operator counts, for Prometheus.

use std::{
    sync::atomic::{AtomicBool, Ordering},
    time::Duration,
};

use prometheus::{Encoder, HistogramOpts, HistogramVec, IntCounterVec, IntGaugeVec, Opts, Registry, TextEncoder};

/// All metrics; labels are kinds and fixed words, never an object's name.
pub(crate) struct Metrics {
    registry: Registry,
    reconciles: IntCounterVec,
    seconds: HistogramVec,
    writes: IntCounterVec,
    objects: IntGaugeVec,
    watch_errors: IntCounterVec,
    ready: AtomicBool,
}

impl Metrics {
    /// Registers every metric.
    pub(crate) fn new() -> prometheus::Result<Self> {
        let registry = Registry::new_custom(Some("asyncai_operator".into()), None)?;
        let counter = |name: &str, help: &str, labels: &[&str]| -> prometheus::Result<IntCounterVec> {
            let counter = IntCounterVec::new(Opts::new(name, help), labels)?;
            registry.register(Box::new(counter.clone()))?;
            Ok(counter)
        };
        let reconciles = counter("reconciles_total", "Reconciliations by kind and result.", &["kind", "result"])?;
        let writes = counter("writes_total", "Requests that change something, by kind.", &["kind"])?;
        let watch_errors = counter("watch_errors_total", "Failures of a list or watch, by kind.", &["kind"])?;
        let seconds = HistogramVec::new(
            HistogramOpts::new("reconcile_seconds", "Duration of reconciliations.")
                .buckets(vec![0.001, 0.005, 0.02, 0.1, 0.5, 2.0, 10.0]),
            &["kind"],
        )?;
        registry.register(Box::new(seconds.clone()))?;
        let objects = IntGaugeVec::new(Opts::new("cached_objects", "Objects in the caches, by kind."), &["kind"])?;
        registry.register(Box::new(objects.clone()))?;
        Ok(Self { registry, reconciles, seconds, writes, objects, watch_errors, ready: AtomicBool::new(false) })
    }

    /// A reconciliation of `kind` has ended; `result` is `ok` or the label of its error.
    pub(crate) fn reconciled(&self, kind: &str, result: &str, took: Duration) {
        self.reconciles.with_label_values(&[kind, result]).inc();
        self.seconds.with_label_values(&[kind]).observe(took.as_secs_f64());
    }

    /// A request that changes an object of `kind` goes out.
    pub(crate) fn wrote(&self, kind: &str) {
        self.writes.with_label_values(&[kind]).inc();
    }

    /// The cache of `kind` has grown (or, below zero, shrunk).
    pub(crate) fn cached(&self, kind: &str, change: i64) {
        self.objects.with_label_values(&[kind]).add(change);
    }

    /// Listing or watching `kind` has failed.
    pub(crate) fn watch_failed(&self, kind: &str) {
        self.watch_errors.with_label_values(&[kind]).inc();
    }

    /// From now on /readyz says yes.
    pub(crate) fn set_ready(&self) {
        self.ready.store(true, Ordering::Relaxed);
    }

    /// Whether [`Metrics::set_ready`] was called.
    pub(crate) fn is_ready(&self) -> bool {
        self.ready.load(Ordering::Relaxed)
    }

    /// All of it in the Prometheus text format.
    pub(crate) fn render(&self) -> String {
        let mut text = Vec::new();
        if let Err(error) = TextEncoder::new().encode(&self.registry.gather(), &mut text) {
            tracing::warn!(event = "metrics.failed", %error);
        }
        String::from_utf8_lossy(&text).into_owned()
    }
}
