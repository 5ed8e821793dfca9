//! The id of a new record.

use gate::Refusal;

use crate::codes;

/// What a folder of records holds already.
#[derive(Debug, Clone, Default)]
pub struct Existing {
    /// The ids of its records.
    pub ids: Vec<String>,
    /// The names of all record files.
    pub names: Vec<String>,
    /// The names of those that have no readable id.
    pub unreadable: Vec<String>,
}

impl Existing {
    /// What has this id already: a record, or a file by its name.
    fn holder(&self, id: &str) -> Option<String> {
        if self.ids.iter().any(|known| known == id) {
            return Some(format!("a record has the id {id} already"));
        }
        let claims =
            |name: &&String| name.strip_prefix(id).is_some_and(|rest| rest.starts_with('-') || rest == ".md");
        self.names.iter().find(claims).map(|name| format!("the file {name} has the id {id} in its name"))
    }

    /// Refuses an id that is in use.
    ///
    /// # Errors
    /// `record-id-taken`.
    pub fn admit(&self, id: &str) -> Result<(), Refusal> {
        match self.holder(id) {
            Some(why) => Err(Refusal::new(codes::RECORD_ID_TAKEN, why)
                .hint("leave the id out, and the next free one is given")),
            None => Ok(()),
        }
    }

    /// The next id: one more than the greatest number with the prefix, as wide as the widest, and at least three digits.
    ///
    /// # Errors
    /// `write-usage-invalid` for a prefix that is none; `record-id-unallocatable` where no prefix is given and the
    /// records don't share one.
    pub fn allocate(&self, prefix: Option<&str>) -> Result<String, Refusal> {
        if let Some(prefix) = prefix.filter(|prefix| !is_prefix(prefix)) {
            let message = format!("--prefix {prefix:?} is not a letter followed by letters and digits");
            return Err(Refusal::new(codes::WRITE_USAGE_INVALID, message));
        }
        let from_names = self.unreadable.iter().filter_map(|name| {
            let (prefix, rest) = name.split_once('-')?;
            let digits = rest.bytes().take_while(u8::is_ascii_digit).count();
            matches!(rest.as_bytes().get(digits), Some(b'-' | b'.')).then_some((prefix, &rest[..digits]))
        });
        let numbered: Vec<(&str, &str)> = self
            .ids
            .iter()
            .filter_map(|id| id.split_once('-'))
            .chain(from_names)
            .filter(|(prefix, number)| is_prefix(prefix) && is_number(number))
            .collect();
        let prefix = match prefix {
            Some(prefix) => prefix,
            None => shared(&numbered)?,
        };
        let numbers = || numbered.iter().filter(|(known, _)| *known == prefix).map(|(_, number)| *number);
        let width = numbers().map(str::len).max().unwrap_or(0).max(3);
        let mut next = numbers().filter_map(|number| number.parse::<u64>().ok()).max().unwrap_or(0);
        loop {
            next = next.checked_add(1).ok_or_else(|| {
                let message = format!("no number is left after the greatest id with the prefix {prefix}");
                Refusal::new(codes::RECORD_ID_UNALLOCATABLE, message).hint("give another --prefix")
            })?;
            let id = format!("{prefix}-{next:0width$}");
            if self.holder(&id).is_none() {
                return Ok(id);
            }
        }
    }
}

fn shared<'a>(numbered: &[(&'a str, &str)]) -> Result<&'a str, Refusal> {
    let refuse = |message: String| {
        Err(Refusal::new(codes::RECORD_ID_UNALLOCATABLE, message).hint("give the id, or its --prefix"))
    };
    let mut prefixes: Vec<&str> = numbered.iter().map(|(prefix, _)| *prefix).collect();
    prefixes.sort_unstable();
    prefixes.dedup();
    match prefixes.as_slice() {
        [] => refuse("no record has an id of a prefix, a dash and a number to go on from".to_owned()),
        [one] => Ok(one),
        several => refuse(format!("the records' ids have several prefixes: {}", several.join(", "))),
    }
}

fn is_prefix(text: &str) -> bool {
    text.starts_with(|c: char| c.is_ascii_alphabetic()) && text.bytes().all(|b| b.is_ascii_alphanumeric())
}

fn is_number(text: &str) -> bool {
    !text.is_empty() && text.bytes().all(|b| b.is_ascii_digit())
}

#[cfg(test)]
mod tests {
    use super::*;

    fn existing(ids: &[&str], unreadable: &[&str]) -> Existing {
        let own = |texts: &[&str]| texts.iter().map(|&text| text.to_owned()).collect::<Vec<_>>();
        Existing { ids: own(ids), names: own(unreadable), unreadable: own(unreadable) }
    }

    #[test]
    fn the_next_id_goes_on_from_the_greatest() {
        let next = |ids: &[&str], unreadable: &[&str], prefix| existing(ids, unreadable).allocate(prefix);
        assert_eq!(next(&["ref-001", "ref-009", "other"], &[], None).unwrap(), "ref-010");
        assert_eq!(next(&["S-0001"], &[], None).unwrap(), "S-0002");
        assert_eq!(next(&["a-999"], &[], None).unwrap(), "a-1000");
        assert_eq!(next(&["a-1"], &[], None).unwrap(), "a-002");
        assert_eq!(next(&["a-001"], &["a-007-broken.md", "a-9.md", "b.md"], None).unwrap(), "a-010");
        assert_eq!(next(&["a-001", "b-004"], &[], Some("b")).unwrap(), "b-005");
        assert_eq!(next(&[], &[], Some("new")).unwrap(), "new-001");
        assert_eq!(next(&["slice-tier-01eb5382958d", "x-001"], &[], None).unwrap(), "x-002");
    }

    #[test]
    fn without_one_prefix_there_is_no_next_id() {
        let code = |ids: &[&str], prefix| existing(ids, &[]).allocate(prefix).unwrap_err().code;
        assert_eq!(code(&[], None), codes::RECORD_ID_UNALLOCATABLE);
        assert_eq!(code(&["a-001", "b-001"], None), codes::RECORD_ID_UNALLOCATABLE);
        assert_eq!(code(&["a-18446744073709551615"], None), codes::RECORD_ID_UNALLOCATABLE);
        for prefix in ["", "1a", "a-b", "ä", "a b"] {
            assert_eq!(code(&["a-001"], Some(prefix)), codes::WRITE_USAGE_INVALID, "{prefix}");
        }
    }

    #[test]
    fn an_id_in_use_is_refused_also_where_only_a_file_name_has_it() {
        let mut folder = existing(&["a-001"], &[]);
        folder.names = vec!["a-002-moved.md".into(), "a-003.md".into()];
        for id in ["a-001", "a-002", "a-003"] {
            assert_eq!(folder.admit(id).unwrap_err().code, codes::RECORD_ID_TAKEN, "{id}");
        }
        assert!(folder.admit("a-00").is_ok());
        assert_eq!(folder.allocate(None).unwrap(), "a-004");
    }
}
