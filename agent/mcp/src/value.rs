//! What code sees of an answer: data as data, text as text, everything else as a bounded object.

use rmcp::model::{ContentBlock, ResourceContents};
use serde_json::{Map, Value, json};

#[cfg(test)]
mod tests;

/// The longest text of one answer, in bytes; data that would be longer as JSON is shown as such a text.
pub(crate) const LONGEST: usize = 1 << 20;
/// The most base64 of one image, sound or blob, in characters; whole groups of four, so that a part can be decoded.
const ENCODED: usize = 64 << 10;

/// Data as it is; where it is too large, the beginning of its JSON and how large it is.
pub(crate) fn data(value: &Value) -> Value {
    // A writer that counts, so that a large value is not written out to be thrown away.
    let bytes = size(value);
    if bytes <= LONGEST {
        return value.clone();
    }
    json!({"type": "truncated", "bytes": bytes, "text": head(&value.to_string(), LONGEST)})
}

/// Text as it is; where it is too large, its beginning and a line that says how much is missing.
pub(crate) fn text(text: &str) -> String {
    let shown = head(text, LONGEST);
    if shown.len() == text.len() {
        return shown.to_owned();
    }
    format!("{shown}\n[cut: {} of {} bytes are shown]", shown.len(), text.len())
}

/// The blocks of a tool's answer: text alone is one text, a single other block an object, a mixture a list of both.
pub(crate) fn blocks(blocks: &[ContentBlock]) -> Value {
    if blocks.iter().all(|block| matches!(block, ContentBlock::Text(_))) {
        let texts: Vec<&str> = blocks.iter().filter_map(|block| Some(block.as_text()?.text.as_str())).collect();
        return if texts.is_empty() { Value::Null } else { Value::String(text(&texts.join("\n"))) };
    }
    match blocks {
        [single] => block(single),
        several => data(&Value::Array(several.iter().map(block).collect())),
    }
}

fn block(block: &ContentBlock) -> Value {
    match block {
        ContentBlock::Text(content) => Value::String(text(&content.text)),
        ContentBlock::Image(image) => blob("image", None, Some(&image.mime_type), &image.data),
        ContentBlock::Audio(audio) => blob("audio", None, Some(&audio.mime_type), &audio.data),
        ContentBlock::Resource(embedded) => resource(&embedded.resource),
        // A link or a kind that is newer than this program, as the protocol writes it.
        other => data(&serde_json::to_value(other).unwrap_or_default()),
    }
}

fn resource(contents: &ResourceContents) -> Value {
    match contents {
        ResourceContents::TextResourceContents { uri, mime_type, text: content, .. } => {
            let mut object = described("resource", Some(uri), mime_type.as_deref());
            object.insert("text".to_owned(), text(content).into());
            object.into()
        }
        ResourceContents::BlobResourceContents { uri, mime_type, blob: encoded, .. } => {
            blob("resource", Some(uri), mime_type.as_deref(), encoded)
        }
        _ => described("resource", None, None).into(),
    }
}

/// Something binary: of which type, how large, and its base64, the beginning of which must do if it is long.
pub(crate) fn blob(kind: &str, uri: Option<&str>, mime: Option<&str>, encoded: &str) -> Value {
    let mut object = described(kind, uri, mime);
    object.insert("bytes".to_owned(), decoded(encoded).into());
    let shown = head(encoded, ENCODED);
    if shown.len() < encoded.len() {
        object.insert("truncated".to_owned(), true.into());
    }
    object.insert("data".to_owned(), shown.into());
    object.into()
}

fn described(kind: &str, uri: Option<&str>, mime: Option<&str>) -> Map<String, Value> {
    let fields = [("type", Some(kind)), ("uri", uri), ("mimeType", mime)];
    fields.into_iter().filter_map(|(name, value)| Some((name.to_owned(), value?.into()))).collect()
}

/// How many bytes base64 stands for.
fn decoded(encoded: &str) -> usize {
    encoded.trim_end_matches('=').len() * 3 / 4
}

/// At most so many bytes of the beginning, no character cut in two.
fn head(text: &str, most: usize) -> &str {
    &text[..text.floor_char_boundary(most)]
}

fn size(value: &Value) -> usize {
    struct Count(usize);
    impl std::io::Write for Count {
        fn write(&mut self, bytes: &[u8]) -> std::io::Result<usize> {
            self.0 += bytes.len();
            Ok(bytes.len())
        }

        fn flush(&mut self) -> std::io::Result<()> {
            Ok(())
        }
    }
    let mut count = Count(0);
    // Neither a value nor a counter can fail.
    let _ = serde_json::to_writer(&mut count, value);
    count.0
}
