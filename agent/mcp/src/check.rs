//! What a server lacks to be watchable.

use std::fmt;

use tokio_util::sync::CancellationToken;

use crate::catalogue::{Catalogue, Resource};
use crate::connect::{self, Timeouts};
use crate::entry::Connection;
use crate::error::WATCHABLE;
use crate::route::Known;
use crate::source::Source;
use crate::supervise::known;
use crate::uri::Template;
use crate::{read, subscribe};

/// So many URIs are tried.
const TRIED: usize = 20;

/// What was found, in the order in which it was looked at.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Report {
    /// Each point, met or not.
    pub findings: Vec<Finding>,
}

/// One point of the contract.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Finding {
    /// Whether it is met.
    pub met: bool,
    /// `server`, a URI or a template.
    pub subject: String,
    /// What is so, or what is missing.
    pub text: String,
}

impl Report {
    /// Whether nothing is missing.
    pub fn watchable(&self) -> bool {
        self.findings.iter().all(|finding| finding.met)
    }

    fn add(&mut self, subject: &str, outcome: Result<String, String>) {
        self.findings.push(Finding {
            met: outcome.is_ok(),
            subject: subject.to_owned(),
            text: outcome.unwrap_or_else(|missing| missing),
        });
    }
}

impl fmt::Display for Report {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        for Finding { met, subject, text } in &self.findings {
            writeln!(f, "{} {subject}: {text}", if *met { "ok     " } else { "missing" })?;
        }
        Ok(())
    }
}

/// Connects to a server, looks at what it says of itself, and tries what it lists.
pub async fn check(source: &Source, timeouts: &Timeouts) -> Report {
    let mut report = Report::default();
    let open = match connect::open("server", source, timeouts).await {
        Ok(open) => open,
        Err(message) => {
            report.add("server", Err(message));
            return report;
        }
    };
    let mut service = open.service;
    let peer = service.peer().clone();
    let catalogue = Catalogue::load("server", &peer, timeouts.connect).await;
    let known = known(&peer, catalogue);
    about_server(&mut report, &known);
    let resources = known.catalogue.resources("server", known.subscribable());
    let listed = match resources.len() {
        0 => Err("it lists no resource and no template".to_owned()),
        count => Ok(format!("it lists {count} resources and templates")),
    };
    report.add("server", listed);
    let connection = Connection::new(peer, timeouts.request, CancellationToken::new());
    for resource in resources.iter().take(TRIED) {
        about_resource(&mut report, resource);
        let Some(uri) = tryable(resource) else { continue };
        // As an agent does it: what it reads, it listens to already.
        let heard = if known.subscribable() {
            Some(subscribe::listen("server", connection.clone(), &uri, timeouts.acknowledge).await)
        } else {
            None
        };
        let read = read::read("server", &connection, &uri, None).await;
        if let Some(heard) = heard {
            let heard = heard.map(|_| "subscriptions/listen acknowledges it".to_owned());
            report.add(&uri, heard.map_err(|error| error.to_string()));
        }
        report.add(&uri, read.map(|_| "it can be read".to_owned()).map_err(|error| error.to_string()));
    }
    let _ = service.close().await;
    report
}

fn about_server(report: &mut Report, known: &Known) {
    let version = if known.modern {
        Ok(format!("it speaks MCP {}", known.version))
    } else {
        Err(format!("it speaks MCP {}; server/discover must offer {WATCHABLE}", known.version))
    };
    report.add("server", version);
    let capability = if known.subscribe {
        Ok("it advertises resources.subscribe".to_owned())
    } else {
        Err("capabilities.resources.subscribe must be true".to_owned())
    };
    report.add("server", capability);
}

fn about_resource(report: &mut Report, resource: &Resource) {
    if resource.template && Template::parse(&resource.uri).is_none() {
        report.add(&resource.uri, Err("it is no RFC 6570 template".to_owned()));
    }
    let description = resource.description.as_deref().unwrap_or_default();
    let last = description.lines().map(str::trim).rfind(|line| !line.is_empty());
    let outcome = if last.is_some_and(|line| line.starts_with("Example:")) {
        Ok("its description ends with an example".to_owned())
    } else {
        Err("its description must end with a line such as \
             Example: await watch_start(name=\"x\", uri=\"…\")"
            .to_owned())
    };
    report.add(&resource.uri, outcome);
}

/// The URI itself; of a template the one in its example.
fn tryable(resource: &Resource) -> Option<String> {
    if !resource.template {
        return Some(resource.uri.clone());
    }
    let (_, rest) = resource.example.as_deref()?.split_once("uri=\"")?;
    let (uri, _) = rest.split_once('"')?;
    let template = Template::parse(&resource.uri)?;
    template.matches(uri).then(|| uri.to_owned())
}
