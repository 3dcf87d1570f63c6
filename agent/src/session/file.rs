//! The file of a session: reading it, appending to it, beginning a new one when it is long.

use std::fs::{self, File};
use std::io::{self, ErrorKind, Write as _};
use std::path::{Path, PathBuf};

use asyncai_orchestrator::{Record, compact};

use super::Error;

const NAME: &str = "main.jsonl";
/// A file that is being made; one that a crash left is overwritten.
const NEW: &str = "main.new.jsonl";
/// Old files that are kept.
const OLD: u32 = 3;

/// How long files may be.
#[derive(Debug, Clone, Copy)]
pub(super) struct Sizes {
    /// Bytes after which a new file is begun.
    pub(super) most: u64,
    /// Bytes of whole turns that the new file begins with.
    pub(super) kept: usize,
}

const SIZES: Sizes = Sizes { most: 8 << 20, kept: 1 << 20 };

/// A session file that is open for appending.
pub(super) struct Writer {
    folder: PathBuf,
    pub(super) file: File,
    /// What of the file is whole lines; more is in it only after a write that failed.
    bytes: u64,
    /// What the file began with when it was made from an older one.
    base: u64,
    pub(super) sizes: Sizes,
}

impl Writer {
    /// Opens the file in `folder` and reads it: the records, and what had to be left out.
    pub(super) fn open(folder: &Path) -> Result<(Self, Vec<Record>, Vec<String>), Error> {
        let path = folder.join(NAME);
        let read = |source| Error::Read { path: path.clone(), source };
        let write = |source| Error::Write { path: path.clone(), source };
        let text = match fs::read(&path) {
            Err(error) if error.kind() == ErrorKind::NotFound => Vec::new(),
            read_ => read_.map_err(read)?,
        };
        let file = File::options().create(true).append(true).open(&path).map_err(write)?;
        let whole = text.iter().rposition(|byte| *byte == b'\n').map_or(0, |at| at + 1);
        let (records, mut problems) = parse(&text[..whole]);
        if whole < text.len() {
            file.set_len(length(whole)).map_err(write)?;
            problems.push(format!(
                "{}: the last line was not written to its end and is dropped ({} bytes)",
                path.display(),
                text.len() - whole
            ));
        }
        file.sync_all().and_then(|()| sync(folder)).map_err(write)?;
        let writer = Self { folder: folder.to_path_buf(), file, bytes: length(whole), base: 0, sizes: SIZES };
        let problems = problems.into_iter().map(|problem| format!("session: {problem}")).collect();
        Ok((writer, records.into_iter().map(|(record, _)| record).collect(), problems))
    }

    /// The path of the file.
    pub(super) fn path(&self) -> PathBuf {
        self.folder.join(NAME)
    }

    /// Appends `lines` durably. When that fails none of them is in the file.
    pub(super) fn append(&mut self, lines: &[u8]) -> io::Result<()> {
        // An attempt before this one may have left half a line.
        if self.file.metadata()?.len() > self.bytes {
            self.file.set_len(self.bytes)?;
        }
        self.file.write_all(lines)?;
        self.file.sync_data()?;
        self.bytes += length(lines.len());
        if self.bytes > self.sizes.most.max(2 * self.base) {
            // The lines are safe; a new file can be begun after the next ones as well.
            if let Err(error) = self.rotate() {
                tracing::warn!(%error, path = %self.path().display(), "cannot begin a new session file");
            }
        }
        Ok(())
    }

    /// Begins a new file with what a restart needs, and keeps the old one.
    fn rotate(&mut self) -> io::Result<()> {
        let text = fs::read(self.path())?;
        let (records, _) = parse(&text);
        let lengths: Vec<(Record, usize)> = records.iter().map(|(record, line)| (record.clone(), line.len())).collect();
        let path = self.folder.join(NEW);
        let mut new = File::options().create(true).append(true).open(&path)?;
        new.set_len(0)?;
        let mut bytes = 0;
        for kept in compact(&lengths, self.sizes.kept) {
            let line = records[kept].1;
            new.write_all(line)?;
            new.write_all(b"\n")?;
            bytes += length(line.len() + 1);
        }
        new.sync_all()?;
        // A copy, so that there is a session file at any moment; before the others move, so that none is lost for one
        // that the disk has no room for.
        fs::copy(self.path(), self.old(0))?;
        for number in (0..OLD).rev() {
            ignore_missing(fs::rename(self.old(number), self.old(number + 1)))?;
        }
        fs::rename(path, self.path())?;
        // Whatever fails from here on, the file of this name is the one that is written to.
        self.file = new;
        (self.bytes, self.base) = (bytes, bytes);
        sync(&self.folder)
    }

    /// The path of an old file; number 0 is one that is being made.
    fn old(&self, number: u32) -> PathBuf {
        self.folder.join(format!("main.{number}.jsonl"))
    }
}

/// The records of whole lines, each with its line, and which lines are none.
fn parse(text: &[u8]) -> (Vec<(Record, &[u8])>, Vec<String>) {
    let mut records = Vec::new();
    let mut problems = Vec::new();
    let lines = text.strip_suffix(b"\n").unwrap_or(text).split(|byte| *byte == b'\n');
    for (number, line) in (1..).zip(lines).filter(|(_, line)| !line.is_empty()) {
        match serde_json::from_slice(line) {
            Ok(record) => records.push((record, line)),
            Err(error) => problems.push(format!("{NAME}:{number}: skipped, since it is no record: {error}")),
        }
    }
    (records, problems)
}

fn length(bytes: usize) -> u64 {
    u64::try_from(bytes).unwrap_or(u64::MAX)
}

fn ignore_missing(result: io::Result<()>) -> io::Result<()> {
    match result {
        Err(error) if error.kind() == ErrorKind::NotFound => Ok(()),
        result => result,
    }
}

/// Makes names in `folder` durable.
fn sync(folder: &Path) -> io::Result<()> {
    File::open(folder)?.sync_all()
}
