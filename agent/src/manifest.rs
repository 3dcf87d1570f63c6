//! Manifests: the YAML documents of files and folders, each with the place it stands at.

use std::fs;
use std::io;
use std::ops::Range;
use std::path::{Path, PathBuf};

use serde_json::Value;
use thiserror::Error;

#[cfg(test)]
mod tests;

/// Why manifests cannot be read.
#[derive(Debug, Error)]
pub(crate) enum Error {
    #[error("cannot read {}", path.display())]
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
        let lines = self.text.lines().collect::<Vec<_>>();
        let mut at = lines.iter().position(|line| !is_blank(line)).unwrap_or(0);
        let mut range = at..lines.len();
        for part in field.split('.').filter(|part| !part.is_empty()) {
            let (key, index) = split_index(part);
            let Some(found) = range.clone().find(|line| has_key(lines[*line], key)) else { break };
            (at, range) = (found, block(&lines, found));
            if let Some(index) = index {
                // With flow style the items are on the line of their key.
                let Some(found) = item(&lines, range.clone(), index) else { break };
                (at, range) = (found, block(&lines, found));
            }
        }
        self.first_line + at
    }
}

/// The line `at` and those below it that belong to it.
fn block(lines: &[&str], at: usize) -> Range<usize> {
    let inner = |line: &&str| {
        is_blank(line)
            || depth(line) > depth(lines[at])
            || (is_item(line) && !is_item(lines[at]) && depth(line) == depth(lines[at]))
    };
    let end = lines[at + 1..].iter().position(|line| !inner(line)).map_or(lines.len(), |end| at + 1 + end);
    at..end
}

/// The line on which the item `index` of the list in `range` begins, whose first line is that of the key.
fn item(lines: &[&str], range: Range<usize>, index: usize) -> Option<usize> {
    let mut items = range.skip(1).filter(|line| is_item(lines[*line])).peekable();
    let indent = depth(lines[*items.peek()?]);
    items.filter(|line| depth(lines[*line]) == indent).nth(index)
}

fn depth(line: &str) -> usize {
    line.len() - line.trim_start().len()
}

/// All documents of `paths`, and what cannot be read; a folder stands for its `.yaml` and `.yml` files, subfolders
/// included, in order of name.
pub(crate) fn read(paths: &[PathBuf]) -> (Vec<Document>, Vec<Error>) {
    let (mut documents, mut errors) = (Vec::new(), Vec::new());
    for path in paths {
        let before = documents.len() + errors.len();
        match files(path) {
            Ok(files) => files.iter().for_each(|file| match fs::read_to_string(file) {
                Ok(text) => parse(file, &text, &mut documents, &mut errors),
                Err(source) => errors.push(Error::Read { path: file.clone(), source }),
            }),
            Err(error) => errors.push(error),
        }
        if documents.len() + errors.len() == before {
            errors.push(Error::Empty { path: path.clone() });
        }
    }
    (documents, errors)
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
fn parse(path: &Path, text: &str, documents: &mut Vec<Document>, errors: &mut Vec<Error>) {
    let mut first_line = 1;
    let mut current = String::new();
    let mut flush = |first_line: usize, text: &mut String| {
        let text = std::mem::take(text);
        if text.lines().all(is_blank) {
            return;
        }
        match serde_saphyr::from_str::<Value>(&text) {
            Ok(value) => documents.push(Document { path: path.to_path_buf(), first_line, text, value }),
            Err(error) => errors.push(syntax(path, first_line, &error)),
        }
    };
    for (number, line) in text.lines().enumerate() {
        if line == "---" || line.starts_with("--- ") {
            flush(first_line, &mut current);
            first_line = number + 2;
        } else {
            current.push_str(line);
            current.push('\n');
        }
    }
    flush(first_line, &mut current);
}

fn syntax(path: &Path, first_line: usize, error: &serde_saphyr::Error) -> Error {
    let line = error.location().and_then(|at| usize::try_from(at.line()).ok()).unwrap_or(1);
    let message = error.without_snippet().to_string();
    // The parser's own place counts from the document, and some of its advice is for programmers.
    let message = message.split(" at line ").next().unwrap_or_default();
    let message = message.split(", set ").next().unwrap_or_default().to_owned();
    Error::Syntax { path: path.to_path_buf(), line: first_line + line.saturating_sub(1), message }
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
