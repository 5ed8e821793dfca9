//! The four commands: what each is given, and the document that it answers with.

use gate::Refusal;
use serde_json::{Map, Value};
use store::git::{Oid, RepoPath};

use super::document::{Amended, Closed, Created, Reviewed, Tail, Verb};
use super::pen::{Pen, SignWith, signed};
use super::writing::{Output, Refused, Writing, authors, declared, kind};
use super::{
    Amendment, Before, Draft, Existing, Opening, Review, Sign, amend, close, fields, new, review, usage,
};
use crate::codes;
use crate::kind::{self, Kind};
use crate::place::Place;
use crate::records::Records;

/// `records new`.
#[derive(Debug, Clone, Copy, Default)]
pub struct NewRequest<'a> {
    /// The kind, by file or name; none is the only one declared.
    pub kind: Option<&'a str>,
    /// The fields, as JSON.
    pub fields: &'a [u8],
    /// Where they come from, for messages.
    pub from: &'a str,
    /// The prefix of the id to be given.
    pub prefix: Option<&'a str>,
    /// Who opens the record.
    pub by: Option<&'a str>,
    /// The key for the author's seal.
    pub sign: Option<SignWith<'a>>,
    /// Whether nothing is written.
    pub dry_run: bool,
    /// Whether it comes from an agent's tool.
    pub from_agent: bool,
}

/// `records amend`.
#[derive(Debug, Clone, Copy, Default)]
pub struct AmendRequest<'a> {
    /// The record.
    pub id: &'a str,
    /// The kind, by file or name; none is the only one declared.
    pub kind: Option<&'a str>,
    /// The fields, as JSON.
    pub fields: &'a [u8],
    /// Where they come from, for messages.
    pub from: &'a str,
    /// The digest that the record must have.
    pub expect: Option<&'a str>,
    /// The key for the author's seal.
    pub sign: Option<SignWith<'a>>,
    /// Whether nothing is written.
    pub dry_run: bool,
}

/// `records review`.
#[derive(Debug, Clone, Copy, Default)]
pub struct ReviewRequest<'a> {
    /// The record.
    pub id: &'a str,
    /// The kind, by file or name; none is the only one declared.
    pub kind: Option<&'a str>,
    /// `agree`, `dissent` or `abstain`.
    pub verdict: &'a str,
    /// Who gives the verdict.
    pub by: &'a str,
    /// Why.
    pub note: Option<&'a str>,
    /// The session that it is given in.
    pub session: Option<&'a str>,
    /// The digest that the record must have.
    pub expect: Option<&'a str>,
    /// The key for the reviewer's seal.
    pub sign: Option<SignWith<'a>>,
    /// Whether nothing is written.
    pub dry_run: bool,
}

/// `records close`.
#[derive(Debug, Clone, Copy, Default)]
pub struct CloseRequest<'a> {
    /// The session.
    pub id: &'a str,
    /// The kind of sessions, by file or name; none is the one declared kind of sessions that has the id.
    pub kind: Option<&'a str>,
    /// The digest that the session must have.
    pub expect: Option<&'a str>,
    /// Whether nothing is written.
    pub dry_run: bool,
}

impl NewRequest<'_> {
    /// Writes a new record.
    ///
    /// # Errors
    /// Every code that the document of `records new` lists.
    pub fn run(&self, place: &Place<'_>) -> Result<Created, Refused> {
        let fields = fields::read(self.fields, self.from)?;
        signed(place, self.sign, self.dry_run, |pen, dry_run| {
            Self { dry_run, ..*self }.attempt(place, fields.clone(), pen)
        })
    }

    fn attempt(
        &self,
        place: &Place<'_>,
        fields: Map<String, Value>,
        pen: Option<&Pen<'_>>,
    ) -> Result<Created, Refused> {
        let writing = Writing::open(place, Verb::New, self.by, self.dry_run, |place| kind(place, self.kind))?;
        let records = writing.records(&writing.kind)?;
        let existing = existing(&writing, &records)?;
        let opening = Opening {
            fields,
            prefix: self.prefix,
            by: self.by,
            head: writing.head.as_ref().map(Oid::as_str),
            sign: pen.map(|pen| pen as &dyn Sign),
            from_agent: self.from_agent,
        };
        let draft = new(&writing.kind, &existing, opening)?;
        let output = Output { path: &draft.path, text: &draft.text, before: None };
        let tail = one(
            &writing,
            &records,
            &draft,
            output,
            &authors(&writing.kind, &draft),
            Verb::New,
            self.dry_run,
        )?;
        Ok(Created::new(&writing.kind, &draft, tail))
    }
}

impl AmendRequest<'_> {
    /// Changes fields of a record.
    ///
    /// # Errors
    /// Every code that the document of `records amend` lists.
    pub fn run(&self, place: &Place<'_>) -> Result<Amended, Refused> {
        let fields = fields::read(self.fields, self.from)?;
        signed(place, self.sign, self.dry_run, |pen, dry_run| {
            Self { dry_run, ..*self }.attempt(place, fields.clone(), pen)
        })
    }

    fn attempt(
        &self,
        place: &Place<'_>,
        fields: Map<String, Value>,
        pen: Option<&Pen<'_>>,
    ) -> Result<Amended, Refused> {
        let writing = Writing::open(place, Verb::Amend, None, self.dry_run, |place| kind(place, self.kind))?;
        let records = writing.records(&writing.kind)?;
        let before = writing.named(&records, self.id, self.expect)?;
        let head = writing.head.as_ref().map(Oid::as_str);
        let amendment = Amendment { fields, head, sign: pen.map(|pen| pen as &dyn Sign) };
        let draft = amend(&writing.kind, &before, amendment)?;
        if draft.changed.is_empty() {
            writing.judge(&draft.path, &[], None)?;
            let warnings = records.get(&draft.id).map(|record| record.warnings.clone()).unwrap_or_default();
            let tail = Tail::new(Verb::Amend, &draft, warnings, self.dry_run);
            return Ok(Amended::new(&writing.kind, &draft, tail));
        }
        let output = changed(&draft, &before);
        let named = authors(&writing.kind, &draft);
        let tail = one(&writing, &records, &draft, output, &named, Verb::Amend, self.dry_run)?;
        Ok(Amended::new(&writing.kind, &draft, tail))
    }
}

impl ReviewRequest<'_> {
    /// Adds a verdict to a record, and to the session that it was given in.
    ///
    /// # Errors
    /// Every code that the document of `records review` lists.
    pub fn run(&self, place: &Place<'_>) -> Result<Reviewed, Refused> {
        signed(place, self.sign, self.dry_run, |pen, dry_run| Self { dry_run, ..*self }.attempt(place, pen))
    }

    fn attempt(&self, place: &Place<'_>, pen: Option<&Pen<'_>>) -> Result<Reviewed, Refused> {
        let today = place.world.now().date();
        let mut given = Review {
            verdict: self.verdict,
            by: self.by,
            note: self.note,
            on: &today,
            session: None,
            head: None,
            sign: None,
        };
        given.check()?;
        let by = Some(self.by);
        let writing = Writing::open(place, Verb::Review, by, self.dry_run, |place| kind(place, self.kind))?;
        let records = writing.records(&writing.kind)?;
        let before = writing.named(&records, self.id, self.expect)?;
        // What the record itself forbids comes before what the session does.
        review(&writing.kind, &before, &given)?;
        let session = self.session.map(|id| session(&writing, id)).transpose()?;
        given.session = session.as_ref().map(|session| (&session.kind, &session.before));
        given.head = writing.head.as_ref().map(Oid::as_str);
        given.sign = pen.map(|pen| pen as &dyn Sign);
        let judged = review(&writing.kind, &before, &given)?;

        let draft = &judged.draft;
        let mut outputs = vec![changed(draft, &before)];
        let in_session = session.as_ref().zip(judged.session.as_ref());
        if let Some((session, entry)) = in_session {
            outputs.push(Output { path: &entry.path, text: &entry.text, before: Some(&session.before.text) });
        }
        let also: Option<(&Kind, &RepoPath)> =
            in_session.map(|(session, entry)| (&session.kind, &entry.path));
        writing.judge(&draft.path, &[], also)?;
        let written = writing.validate(&writing.kind, &records, &draft.path, &outputs, false)?;
        if let Some((session, entry)) = in_session {
            writing.validate(&session.kind, &session.records, &entry.path, &outputs, false)?;
        }
        writing.commit(&outputs)?;
        let tail = Tail::new(Verb::Review, draft, written.warnings, self.dry_run);
        Ok(Reviewed::new(&writing.kind, &judged, tail))
    }
}

impl CloseRequest<'_> {
    /// Ends a session.
    ///
    /// # Errors
    /// Every code that the document of `records close` lists.
    pub fn run(&self, place: &Place<'_>) -> Result<Closed, Refused> {
        let find = |place: &Place<'_>| match self.kind {
            Some(_) => kind(place, self.kind),
            None => kind_of_session(place, self.id),
        };
        let writing = Writing::open(place, Verb::Close, None, self.dry_run, find)?;
        let records = writing.records(&writing.kind)?;
        let before = writing.named(&records, self.id, self.expect)?;
        let head = writing.head.as_ref().map(Oid::as_str);
        let closing = close(&writing.kind, &before, head, place.world.now())?;
        let output = changed(&closing.draft, &before);
        let tail = one(&writing, &records, &closing.draft, output, &[], Verb::Close, self.dry_run)?;
        Ok(Closed::new(&writing.kind, &closing, head, tail))
    }
}

/// Judges, validates and writes a draft of one file.
fn one(
    writing: &Writing<'_, '_>,
    records: &Records,
    draft: &Draft,
    output: Output<'_>,
    named: &[&str],
    verb: Verb,
    dry_run: bool,
) -> Result<Tail, Refusal> {
    writing.judge(&draft.path, named, None)?;
    let outputs = [output];
    let written = writing.validate(&writing.kind, records, &draft.path, &outputs, draft.ratifies)?;
    writing.commit(&outputs)?;
    Ok(Tail::new(verb, draft, written.warnings, dry_run))
}

fn changed<'d>(draft: &'d Draft, before: &'d Before) -> Output<'d> {
    Output { path: &draft.path, text: &draft.text, before: Some(&before.text) }
}

fn existing(writing: &Writing<'_, '_>, records: &Records) -> Result<Existing, Refusal> {
    let name = |path: &RepoPath| String::from_utf8_lossy(path.last()).into_owned();
    let unreadable = records.records.iter().filter(|record| record.id.is_none());
    Ok(Existing {
        ids: records.records.iter().filter_map(|record| record.id.clone()).collect(),
        unreadable: unreadable.map(|record| name(&record.path)).collect(),
        names: writing.names()?,
    })
}

/// A session that takes a verdict.
struct InSession {
    kind: Kind,
    records: Records,
    before: Before,
}

/// The session with this id, of a declared kind whose sessions judge records of the kind that is written.
fn session(writing: &Writing<'_, '_>, id: &str) -> Result<InSession, Refusal> {
    for kind in session_kinds(writing.place)? {
        if !kind.session.as_ref().is_some_and(|session| session.subjects.contains(&writing.kind.file)) {
            continue;
        }
        let records = writing.records(&kind)?;
        if let Some(before) = writing.before(&kind, &records, id)? {
            return Ok(InSession { kind, records, before });
        }
    }
    let message = format!("no session over records of the kind {} has the id {id}", writing.kind.name);
    Err(Refusal::new(codes::SESSION_UNKNOWN, message))
}

/// The declared kinds of sessions that can be read.
fn session_kinds(place: &Place<'_>) -> Result<Vec<Kind>, Refusal> {
    let tree = place.work_tree();
    let kinds = declared(place)?;
    Ok(kinds
        .iter()
        .filter_map(|file| kind::load(&tree, file).ok())
        .filter(|kind| kind.session.is_some())
        .collect())
}

/// The declared kind of sessions that a session belongs to.
fn kind_of_session(place: &Place<'_>, id: &str) -> Result<Kind, Refusal> {
    let mut kinds = session_kinds(place)?;
    if kinds.len() > 1 {
        let tree = place.work_tree();
        let has = |kind: &Kind| {
            let files = crate::records::located(&tree, kind).unwrap_or_default();
            files.into_iter().any(|(path, _)| {
                let bytes = store::tree::Tree::read(&tree, &path).ok().flatten().unwrap_or_default();
                crate::records::parse(kind, path, &bytes).id.as_deref() == Some(id)
            })
        };
        if let Some(at) = kinds.iter().position(has) {
            return Ok(kinds.swap_remove(at));
        }
    }
    match (kinds.pop(), kinds.is_empty()) {
        (Some(only), true) => Ok(only),
        (None, _) => {
            Err(usage("the workspace declares no kind of sessions; name one with --kind <kind file>"))
        }
        (Some(_), false) => Err(Refusal::new(
            codes::RECORD_NOT_FOUND,
            format!("no declared kind of sessions has the id {id}"),
        )),
    }
}

#[cfg(test)]
mod tests;
