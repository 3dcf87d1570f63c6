//! Manifests: the YAML documents of files and folders, each with the place it stands at.

use std::fs;
use std::io;
use std::path::{Path, PathBuf};

use serde_json::Value;
use thiserror::Error;

#[cfg(test)]
mod tests;

/// Why manifests cannot be read.
#[derive(Debug, Error)]
pub(crate) enum Error {
    #[error("cannot read {}: {source}", path.display())]
    Read { path: PathBuf, source: io::Error },
    #[error("{}:{line}: {message}", path.display())]
    Syntax { path: PathBuf, line: usize, message: String },
    #[error("no manifest in {}: expected a YAML file, or a folder with .yaml or .yml files", path.display())]
    Empty { path: PathBuf },
}

/// One YAML document.
#[derive(Clone, Debug)]
pub(crate) struct Document {
    pub(crate) path: PathBuf,
    /// Line of the file on which `text` begins, from 1.
    pub(crate) first_line: usize,
    pub(crate) text: String,
    pub(crate) value: Value,
}

impl Document {
    /// The line of the file on which `field` (such as `spec.mcpServers[0].name`) stands: the deepest part of it that
    /// the document has.
    pub(crate) fn line(&self, field: &str) -> usize {
        let mut lines = self.text.lines().enumerate().peekable();
        let mut found = self.text.lines().position(|line| !is_blank(line)).unwrap_or(0);
        for part in field.split('.').filter(|part| !part.is_empty()) {
            let (key, index) = split_index(part);
            let Some(at) = lines.by_ref().find(|(_, line)| has_key(line, key)).map(|(at, _)| at) else { break };
            found = at;
            for _ in 0..index.map_or(0, |index| index + 1) {
                let Some(item) = lines.next_if(|_| true).into_iter().chain(lines.by_ref()).find(|(_, l)| is_item(l))
                else {
                    break;
                };
                found = item.0;
            }
        }
        self.first_line + found
    }
}

/// All documents of `paths`; a folder stands for its `.yaml` and `.yml` files, subfolders included, in order of name.
///
/// # Errors
/// When something cannot be read, is no YAML, or a path holds no manifest at all.
pub(crate) fn read(paths: &[PathBuf]) -> Result<Vec<Document>, Error> {
    let mut documents = Vec::new();
    for path in paths {
        let before = documents.len();
        for file in files(path)? {
            let text = fs::read_to_string(&file).map_err(|source| Error::Read { path: file.clone(), source })?;
            documents.append(&mut parse(&file, &text)?);
        }
        if documents.len() == before {
            return Err(Error::Empty { path: path.clone() });
        }
    }
    Ok(documents)
}

fn files(path: &Path) -> Result<Vec<PathBuf>, Error> {
    let error = |source| Error::Read { path: path.to_path_buf(), source };
    if !fs::metadata(path).map_err(error)?.is_dir() {
        return Ok(vec![path.to_path_buf()]);
    }
    let mut entries = fs::read_dir(path).and_then(Iterator::collect::<io::Result<Vec<_>>>).map_err(error)?;
    entries.sort_by_key(fs::DirEntry::file_name);
    let mut found = Vec::new();
    for entry in entries.iter().map(fs::DirEntry::path) {
        if entry.is_dir() {
            found.append(&mut files(&entry)?);
        } else if entry.extension().is_some_and(|extension| extension == "yaml" || extension == "yml") {
            found.push(entry);
        }
    }
    Ok(found)
}

/// Splits at `---` lines rather than leaving that to the parser, since a finding must name its line in the file.
fn parse(path: &Path, text: &str) -> Result<Vec<Document>, Error> {
    let mut documents = Vec::new();
    let mut first_line = 1;
    let mut current = String::new();
    let mut flush = |first_line: usize, text: &mut String| {
        let text = std::mem::take(text);
        if text.lines().all(is_blank) {
            return Ok(());
        }
        let value = serde_saphyr::from_str(&text).map_err(|error| Error::Syntax {
            path: path.to_path_buf(),
            line: first_line
                + error.location().map_or(0, |at| usize::try_from(at.line()).unwrap_or(1).saturating_sub(1)),
            message: error.without_snippet().to_string(),
        })?;
        documents.push(Document { path: path.to_path_buf(), first_line, text, value });
        Ok(())
    };
    for (number, line) in text.lines().enumerate() {
        if line == "---" || line.starts_with("--- ") {
            flush(first_line, &mut current)?;
            first_line = number + 2;
        } else {
            current.push_str(line);
            current.push('\n');
        }
    }
    flush(first_line, &mut current)?;
    Ok(documents)
}

fn is_blank(line: &str) -> bool {
    let line = line.trim_start();
    line.is_empty() || line.starts_with('#')
}

fn is_item(line: &str) -> bool {
    line.trim_start().starts_with("- ")
}

fn has_key(line: &str, key: &str) -> bool {
    let line = line.trim_start().trim_start_matches("- ");
    line.match_indices(key).any(|(at, _)| {
        let before = line[..at].chars().next_back();
        before.is_none_or(|c| matches!(c, '{' | ' ' | '"' | ','))
            && line[at + key.len()..].trim_start_matches('"').starts_with(':')
    })
}

fn split_index(part: &str) -> (&str, Option<usize>) {
    let Some((key, rest)) = part.split_once('[') else { return (part, None) };
    (key, rest.trim_end_matches(']').parse().ok())
}
