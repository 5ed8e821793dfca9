//! Changing a record's text in place: every byte that no changed field owns stays as it was.

use canon::front_matter;
use gate::Refusal;
use serde_json::{Map, Value};

use crate::codes;

/// A record's text under change, and the data that it should hold.
#[derive(Debug, Clone)]
pub(super) struct Edit {
    text: Option<String>,
    data: Map<String, Value>,
}

impl Edit {
    /// The text of a record as its file holds it, and its data.
    pub fn new(text: &str, data: &Map<String, Value>) -> Self {
        Self { text: Some(text.to_owned()), data: data.clone() }
    }

    /// The data as it should be.
    pub fn data(&self) -> &Map<String, Value> {
        &self.data
    }

    /// Puts a value in a field: in its place where the record has it, else as the last field.
    pub fn set(&mut self, field: &str, value: &Value) {
        let yaml = front_matter::field(field, value);
        let is_there = self.data.contains_key(field);
        self.text = self.text.take().and_then(|text| {
            if is_there {
                front_matter::replace(&text, field, &yaml)
            } else {
                front_matter::insert(&text, &yaml)
            }
        });
        self.data.insert(field.to_owned(), value.clone());
    }

    /// Takes a field out.
    pub fn unset(&mut self, field: &str) {
        if self.data.shift_remove(field).is_some() {
            self.text = self.text.take().and_then(|text| front_matter::remove(&text, field));
        }
    }

    /// The text, if reading it gives the data and the same body; none where some field is written in a way that can't
    /// be changed in place.
    pub fn text(&self, body: &str) -> Option<&str> {
        let text = self.text.as_deref()?;
        let read = front_matter::parse(text.as_bytes()).ok()?;
        (read.data == self.data && read.body() == body).then_some(text)
    }

    /// The text, or a refusal that says what the owner can do.
    ///
    /// # Errors
    /// `record-unparseable`.
    pub fn finish(&self, path: &str, body: &str) -> Result<String, Refusal> {
        self.text(body).map(str::to_owned).ok_or_else(|| {
            let message =
                format!("the front matter of {path} can't be changed in place: it would read back otherwise");
            Refusal::new(codes::RECORD_UNPARSEABLE, message)
                .hint("write each field at the left edge, as `key: value`, and commit that first")
        })
    }

    /// Writes the whole front matter anew where it can't be changed in place; the text below stays.
    pub fn settle(&mut self, original: &str, body: &str) {
        if self.text(body).is_none() {
            self.text = front_matter::replace_all(original, &front_matter::yaml(&self.data));
        }
    }
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    const HAND: &str = "---\n# who reads this\nid:  a-1\nstate:   open   # for now\n\"tags\": [x,\n   y]\n\nnote: >\n  folded\n  text\n---\n\nBody\n";

    fn edit(text: &str) -> (Edit, String) {
        let read = front_matter::parse(text.as_bytes()).unwrap();
        (Edit::new(text, &read.data), read.body().to_owned())
    }

    #[test]
    fn only_the_block_of_a_changed_field_moves() {
        let (mut changed, body) = edit(HAND);
        changed.set("tags", &json!(["z"]));
        changed.set("more", &json!({"k": 1}));
        changed.unset("state");
        let expected = "---\n# who reads this\nid:  a-1\ntags:\n  - \"z\"\n\nnote: >\n  folded\n  text\nmore:\n  k: 1\n---\n\nBody\n";
        assert_eq!(changed.text(&body), Some(expected));

        let crlf = HAND.replace('\n', "\r\n");
        let (mut changed, body) = edit(&crlf);
        changed.set("state", &json!("done"));
        let expected = crlf.replace("state:   open   # for now", "state: \"done\"");
        assert_eq!(changed.text(&body), Some(expected.as_str()));
    }

    #[test]
    fn what_cant_be_changed_in_place_is_found_out() {
        for text in [
            "---\n{id: a, state: open}\n---\nBody\n",
            "---\nid: a\n? state\n: open\n---\nBody\n",
            "---\n  id: a\n  state: open\n---\nBody\n",
        ] {
            let (mut changed, body) = edit(text);
            changed.set("state", &json!("done"));
            assert_eq!(changed.text(&body), None, "{text}");
            assert_eq!(changed.finish("d/a.md", &body).unwrap_err().code, codes::RECORD_UNPARSEABLE);
            changed.settle(text, &body);
            assert_eq!(changed.text(&body), Some("---\nid: \"a\"\nstate: \"done\"\n---\nBody\n"), "{text}");
        }
    }
}
