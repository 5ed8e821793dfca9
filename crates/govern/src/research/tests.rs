use super::*;

fn local() -> Research {
    Research {
        question: "Can the target be written?".to_owned(),
        needs: Needs::Local,
        method: Method::Local,
        local_evidence: vec![Observation {
            at: "portability-report.json".to_owned(),
            seen: "DP-005 passes".to_owned(),
            digest: None,
        }],
        online_sources: Vec::new(),
        findings: vec!["it can".to_owned()],
        used_in: vec!["deploy-plan.json".to_owned()],
    }
}

fn source(url: &str, publisher: &str) -> Source {
    Source {
        url: url.to_owned(),
        publisher: publisher.to_owned(),
        claim: "a hook may deny a call".to_owned(),
        scope: "version 2".to_owned(),
        authority: Authority::Official,
        dated: "2026-10-01".to_owned(),
        relevant: true,
        superseded_by: None,
    }
}

fn online(sources: &[Source]) -> Research {
    Research {
        needs: Needs::External,
        method: Method::Online,
        local_evidence: Vec::new(),
        online_sources: sources.to_vec(),
        ..local()
    }
}

fn rule(research: &Research) -> Option<&'static str> {
    judge(research).map(|fault| fault.rule)
}

#[test]
fn g3_1_a_question_about_the_place_is_answered_there() {
    assert_eq!(judge(&local()), None);
    let elsewhere = Research { method: Method::Online, ..local() };
    assert_eq!(rule(&elsewhere), Some("G3-1"));
}

#[test]
fn g3_2_knowledge_from_outside_is_not_inferred() {
    for needs in [Needs::External, Needs::Both] {
        let fault = judge(&Research { needs, ..local() }).unwrap();
        assert_eq!((fault.rule, fault.reason), ("G3-2", codes::RESEARCH_MODE));
    }
}

#[test]
fn g3_3_two_independent_sources_are_needed() {
    let one = source("https://docs.example.org/hooks", "Example");
    let two = source("https://arxiv.org/abs/2608.02011", "A. Author");
    assert_eq!(judge(&online(&[one.clone(), two.clone()])), None);
    for sources in [
        vec![],
        vec![one.clone()],
        vec![one.clone(), one.clone()],
        // Another page of the same site, and the same publisher elsewhere.
        vec![one.clone(), source("https://blog.example.org/hooks", "Other")],
        vec![one.clone(), source("https://mirror.net/hooks", " example ")],
    ] {
        let fault = judge(&online(&sources)).unwrap();
        assert_eq!((fault.rule, fault.reason), ("G3-3", codes::RESEARCH_SOURCES), "{sources:?}");
    }
}

type Weaken = fn(&mut Source);

/// Two sources are two only where both bear something.
#[test]
fn a_source_that_bears_nothing_does_not_count() {
    let one = source("https://docs.example.org/hooks", "Example");
    let two = source("https://arxiv.org/abs/2608.02011", "A. Author");
    let weak: [(&str, Weaken); 8] = [
        ("no authority", |source| source.authority = Authority::Other),
        ("bear on the question", |source| source.relevant = false),
        ("taken its place", |source| source.superseded_by = Some("https://new.org".to_owned())),
        ("for what that holds", |source| source.scope = " ".to_owned()),
        ("what it says", |source| source.claim = String::new()),
        ("who answers", |source| source.publisher = String::new()),
        ("no day", |source| source.dated = "lately".to_owned()),
        ("no `https://` address", |source| source.url = "a book".to_owned()),
    ];
    for (why, weaken) in weak {
        let mut other = two.clone();
        weaken(&mut other);
        let fault = judge(&online(&[one.clone(), other])).unwrap();
        assert_eq!(fault.rule, "G3-3");
        assert!(fault.fact.contains(why), "{}", fault.fact);
    }
}

#[test]
fn both_needs_both() {
    let one = source("https://docs.example.org/hooks", "Example");
    let two = source("https://arxiv.org/abs/2608.02011", "A. Author");
    let both = Research {
        needs: Needs::Both,
        method: Method::Both,
        online_sources: vec![one.clone(), two],
        ..local()
    };
    assert_eq!(judge(&both), None);
    assert_eq!(rule(&Research { local_evidence: Vec::new(), ..both.clone() }), Some("G3"));
    assert_eq!(rule(&Research { online_sources: vec![one], ..both.clone() }), Some("G3-3"));
    assert_eq!(rule(&Research { method: Method::Online, ..both }), Some("G3-1"));
}

#[test]
fn a_record_says_something_in_every_part() {
    for (what, research) in [
        ("question", Research { question: " ".to_owned(), ..local() }),
        ("finding", Research { findings: vec![String::new()], ..local() }),
        ("use", Research { used_in: Vec::new(), ..local() }),
        ("observation", Research { local_evidence: Vec::new(), ..local() }),
    ] {
        let fault = judge(&research).unwrap();
        assert_eq!((fault.rule, fault.reason), ("G3", codes::RESEARCH_EMPTY));
        assert!(fault.fact.contains(what), "{}", fault.fact);
    }
}
