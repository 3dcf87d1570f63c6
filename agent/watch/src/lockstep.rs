//! Compares two JSON texts of one shape in a single pass: what they have in common is scanned once, and parsed never.
//!
//! An object and its predecessor mostly have the same keys in the same order.

/// Two values, at the same place of two texts, that do not read the same.
pub(crate) struct Pair<'a> {
    /// The keys above them.
    pub(crate) keys: Vec<&'a str>,
    pub(crate) old: &'a str,
    pub(crate) new: &'a str,
}

/// Compares two valid JSON values that stand below `keys`, down to `max_depth` keys. Two objects whose keys are not the
/// same, in the same order, are a pair as a whole.
pub(crate) fn pairs<'a>(old: &'a str, new: &'a str, keys: Vec<&'a str>, max_depth: usize) -> Vec<Pair<'a>> {
    let tail = common_tail(old.as_bytes(), new.as_bytes());
    let mut lockstep = Lockstep { old, new, tail, max_depth, keys, pairs: Vec::new() };
    let _ = lockstep.value(0, 0);
    lockstep.pairs
}

struct Lockstep<'a> {
    old: &'a str,
    new: &'a str,
    /// At least so many bytes at the end are the same.
    tail: usize,
    max_depth: usize,
    keys: Vec<&'a str>,
    pairs: Vec<Pair<'a>>,
}

/// Why a walk ends early.
enum Stop {
    /// The keys are not the same.
    OutOfStep,
    /// All that follows is the same.
    Done,
}

impl Lockstep<'_> {
    /// Compares the values at these places, and returns where they end.
    fn value(&mut self, i: usize, j: usize) -> Result<(usize, usize), Stop> {
        let objects = byte(self.old, i) == Some(b'{') && byte(self.new, j) == Some(b'{');
        if objects && self.keys.len() < self.max_depth {
            let (depth, found) = (self.keys.len(), self.pairs.len());
            match self.members(i + 1, j + 1) {
                Err(Stop::OutOfStep) => {
                    self.keys.truncate(depth);
                    self.pairs.truncate(found);
                }
                ends => return ends,
            }
        }
        let old = &self.old[i..skip_value(self.old, i)];
        if self.new[j..].starts_with(old) && ends_value(byte(self.new, j + old.len())) {
            return Ok((i + old.len(), j + old.len()));
        }
        let new = &self.new[j..skip_value(self.new, j)];
        self.pairs.push(Pair { keys: self.keys.clone(), old, new });
        Ok((i + old.len(), j + new.len()))
    }

    fn members(&mut self, mut i: usize, mut j: usize) -> Result<(usize, usize), Stop> {
        loop {
            (i, j) = (skip_space(self.old, i), skip_space(self.new, j));
            if self.old.len() - i == self.new.len() - j && self.old.len() - i <= self.tail {
                return Err(Stop::Done);
            }
            match (byte(self.old, i), byte(self.new, j)) {
                (Some(b'}'), Some(b'}')) => return Ok((i + 1, j + 1)),
                (Some(b'"'), Some(b'"')) => {}
                _ => return Err(Stop::OutOfStep),
            }
            let key = &self.old[i..skip_string(self.old, i)];
            if !self.new[j..].starts_with(key) || key.contains('\\') {
                return Err(Stop::OutOfStep);
            }
            self.keys.push(&key[1..key.len() - 1]);
            (i, j) = (skip_colon(self.old, i + key.len()), skip_colon(self.new, j + key.len()));
            (i, j) = self.value(i, j)?;
            self.keys.pop();
            (i, j) = (skip_comma(self.old, i), skip_comma(self.new, j));
        }
    }
}

fn byte(text: &str, at: usize) -> Option<u8> {
    text.as_bytes().get(at).copied()
}

fn skip_space(text: &str, at: usize) -> usize {
    let space = |byte: &u8| matches!(byte, b' ' | b'\t' | b'\n' | b'\r');
    at + text.as_bytes()[at..].iter().take_while(|byte| space(byte)).count()
}

fn skip_colon(text: &str, at: usize) -> usize {
    skip_space(text, skip_space(text, at) + 1)
}

fn skip_comma(text: &str, at: usize) -> usize {
    let at = skip_space(text, at);
    at + usize::from(byte(text, at) == Some(b','))
}

/// Where the string that starts here ends.
fn skip_string(text: &str, at: usize) -> usize {
    let bytes = text.as_bytes();
    let mut at = at + 1;
    while let Some(byte) = bytes.get(at) {
        match byte {
            b'"' => return at + 1,
            b'\\' => at += 2,
            _ => at += 1,
        }
    }
    bytes.len()
}

/// Where the value that starts here ends.
fn skip_value(text: &str, at: usize) -> usize {
    let bytes = text.as_bytes();
    let (mut at, mut depth) = (at, 0_usize);
    while let Some(byte) = bytes.get(at) {
        match byte {
            b'"' => at = skip_string(text, at),
            b'{' | b'[' => (at, depth) = (at + 1, depth + 1),
            b'}' | b']' => (at, depth) = (at + 1, depth.saturating_sub(1)),
            _ if depth == 0 => at += bytes[at..].iter().take_while(|byte| !ends_value(Some(**byte))).count(),
            _ => at += 1,
        }
        if depth == 0 {
            return at;
        }
    }
    bytes.len()
}

/// Whether a number or a word ends before this byte.
fn ends_value(byte: Option<u8>) -> bool {
    matches!(byte, None | Some(b',' | b'}' | b']' | b' ' | b'\t' | b'\n' | b'\r'))
}

/// How many bytes at the end are the same, in steps that are fast to compare.
fn common_tail(a: &[u8], b: &[u8]) -> usize {
    const STEP: usize = 64;
    STEP * a.rchunks_exact(STEP).zip(b.rchunks_exact(STEP)).take_while(|(a, b)| a == b).count()
}
