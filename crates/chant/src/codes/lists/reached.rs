//! Each code that reading, writing and locking records may end with, and the test that reaches it.

use std::collections::BTreeSet;
use std::fs;
use std::path::Path;

use gate::ReasonCode;

use super::{
    DECLARATION, RECORDS, RECORDS_AMEND, RECORDS_CLOSE, RECORDS_NEW, RECORDS_REVIEW, RECORDS_SINCE,
    WRITE_LOCK,
};

/// The code, and the file and function of a test that reaches it.
#[rustfmt::skip]
const TABLE: &[(&str, &str, &str)] = &[
    ("agent-unknown", "write/command/tests.rs", "an_agent_session_writes_the_workspaces_kinds_and_its_own_members"),
    ("amend-id-immutable", "write/tests.rs", "an_amendment_is_refused_in_the_published_order"),
    ("amend-supersede-instead", "write/command/tests.rs", "the_published_kinds_are_written"),
    ("answer-points-unreadable", "records/tests/kinds.rs", "an_answer_is_to_the_question_that_was_asked"),
    ("answer-point-changed", "records/tests/kinds.rs", "an_answer_is_to_the_question_that_was_asked"),
    ("answer-point-unknown", "records/tests/kinds.rs", "an_answer_is_to_the_question_that_was_asked"),
    ("asset-drift", "records/tests.rs", "pins_are_checked_against_the_tree_that_is_read"),
    ("asset-missing", "records/tests.rs", "pins_are_checked_against_the_tree_that_is_read"),
    ("asset-stale", "records/tests.rs", "pins_are_checked_against_the_tree_that_is_read"),
    ("declaration-ambiguous", "declaration/tests/place.rs", "the_nearest_folder_with_a_declaration_wins"),
    ("declaration-invalid", "records/tests/hostile.rs", "a_declaration_is_read_within_bounds_or_named"),
    ("declaration-missing", "declaration/tests/place.rs", "the_nearest_folder_with_a_declaration_wins"),
    ("declaration-unparseable", "records/tests/hostile.rs", "nothing_is_read_through_a_link_or_from_a_pipe"),
    ("kind-invalid", "records/tests/hostile.rs", "a_kind_file_is_read_within_bounds_or_named"),
    ("kind-unreadable", "records/tests.rs", "the_declaration_sets_the_quorum_and_names_the_kinds"),
    ("location-missing", "records/tests.rs", "each_failure_of_a_read_has_its_code"),
    ("not-a-git-repository", "records/tests.rs", "each_failure_of_a_read_has_its_code"),
    ("placement-invalid", "declaration/tests/rules.rs", "members_that_lie_in_the_wrong_place"),
    ("principal-unidentified", "write/command/tests.rs", "bare_names_are_refused_where_identities_are_asked_for"),
    ("ratify-quorum-not-met", "write/command/tests.rs", "a_record_is_ratified_only_by_its_quorum"),
    ("reader-too-old", "declaration/tests/mod.rs", "the_pinned_program_comes_before_the_level_and_the_level_before_the_shape"),
    ("record-closed", "write/command/tests.rs", "a_record_is_ratified_only_by_its_quorum"),
    ("record-conflict", "records/tests/places.rs", "a_checkout_with_crlf_has_the_same_digests_and_stays_one"),
    ("record-id-duplicate", "records/tests.rs", "a_name_that_repeats_keeps_the_first_and_shows_the_cure"),
    ("record-id-taken", "write/command/tests.rs", "a_record_that_would_be_invalid_is_not_written"),
    ("record-id-unallocatable", "write/ids.rs", "without_one_prefix_there_is_no_next_id"),
    ("record-not-found", "write/command/tests.rs", "an_amendment_keeps_every_other_byte"),
    ("record-no-evidence", "records/tests.rs", "a_record_is_its_data_with_what_reading_found"),
    ("record-path-unmatched", "write/tests.rs", "a_new_record_is_refused_with_its_reason"),
    ("record-remediates-not-closed", "records/tests.rs", "links_take_effect_by_the_approval_rule"),
    ("record-remediates-unknown", "records/tests.rs", "links_take_effect_by_the_approval_rule"),
    ("record-schema-invalid", "records/tests.rs", "what_is_no_record_is_named_and_the_rest_is_read"),
    ("record-seal-mismatch", "records/tests.rs", "a_closed_record_that_changed_is_named"),
    ("record-sign-failed", "write/command/tests.rs", "a_key_that_cannot_sign_refuses_the_write"),
    ("record-state-not-initial", "write/tests.rs", "a_new_record_is_refused_with_its_reason"),
    ("record-supersedes-conflict", "records/tests.rs", "links_take_effect_by_the_approval_rule"),
    ("record-supersedes-pending", "records/tests.rs", "links_take_effect_by_the_approval_rule"),
    ("record-supersedes-unknown", "records/tests.rs", "links_take_effect_by_the_approval_rule"),
    ("record-unattested", "records/tests/trust.rs", "with_signers_only_their_seals_count"),
    ("record-unparseable", "records/tests.rs", "what_is_no_record_is_named_and_the_rest_is_read"),
    ("review-agent", "records/tests/trust.rs", "with_signers_only_their_seals_count"),
    ("review-decider", "records/tests.rs", "verdicts_are_counted_once_each_and_for_the_text_that_they_judged"),
    ("review-duplicate", "records/tests.rs", "verdicts_are_counted_once_each_and_for_the_text_that_they_judged"),
    ("review-note-required", "write/command/tests.rs", "a_verdict_in_a_session_lands_in_both_files"),
    ("review-older-digest", "records/tests.rs", "verdicts_are_counted_once_each_and_for_the_text_that_they_judged"),
    ("review-sign-failed", "write/command/tests.rs", "a_key_that_cannot_sign_refuses_the_write"),
    ("review-unattested", "records/tests/trust.rs", "with_signers_only_their_seals_count"),
    ("review-undigested", "records/tests.rs", "verdicts_are_counted_once_each_and_for_the_text_that_they_judged"),
    ("review-unsupported", "write/tests.rs", "a_verdict_is_refused_in_the_published_order"),
    ("revision-unknown", "records/tests.rs", "each_failure_of_a_read_has_its_code"),
    ("root-chant-required", "declaration/tests/mod.rs", "the_pinned_program_comes_before_the_level_and_the_level_before_the_shape"),
    ("schema-id-mismatch", "records/tests/hostile.rs", "a_schema_is_used_within_bounds_or_named"),
    ("schema-invalid", "records/tests/hostile.rs", "a_schema_is_never_fetched"),
    ("schema-unreadable", "records/tests/hostile.rs", "a_schema_is_used_within_bounds_or_named"),
    ("seal-missing", "records/tests/trust.rs", "without_signers_a_seal_can_only_be_wrong"),
    ("seal-signature-invalid", "records/tests/trust.rs", "without_signers_a_seal_can_only_be_wrong"),
    ("seal-signer-unlisted", "records/tests/trust.rs", "with_signers_only_their_seals_count"),
    ("seal-unverifiable", "records/tests/trust.rs", "without_signers_a_seal_can_only_be_wrong"),
    ("session-not-open", "write/command/tests.rs", "a_verdict_in_a_session_lands_in_both_files"),
    ("session-seal-mismatch", "records/tests/kinds.rs", "a_session_stays_as_it_was_closed_and_judges_what_is_there"),
    ("session-unknown", "write/command/tests.rs", "a_verdict_in_a_session_lands_in_both_files"),
    ("session-verdict-unknown-record", "records/tests/kinds.rs", "a_session_stays_as_it_was_closed_and_judges_what_is_there"),
    ("since-rev-unknown", "records/tests.rs", "what_changed_between_two_trees_is_listed_by_sort_and_id"),
    ("since-session-open", "records/tests/kinds.rs", "a_session_stays_as_it_was_closed_and_judges_what_is_there"),
    ("since-session-unknown", "records/tests.rs", "what_changed_between_two_trees_is_listed_by_sort_and_id"),
    ("source-harvest-not-proposed", "write/tests.rs", "a_new_record_is_refused_with_its_reason"),
    ("source-transcript-drift", "records/tests.rs", "a_source_block_has_its_shape_and_its_transcript"),
    ("work-acceptance-self-verified", "records/tests/kinds.rs", "a_work_item_is_warned_of_what_it_lacks"),
    ("work-acceptance-unmet", "records/tests/kinds.rs", "a_work_item_is_warned_of_what_it_lacks"),
    ("work-closed-without-date", "records/tests/kinds.rs", "a_work_item_is_warned_of_what_it_lacks"),
    ("work-contract-undecided", "records/tests/kinds.rs", "a_work_item_is_warned_of_what_it_lacks"),
    ("work-contract-unknown", "records/tests/kinds.rs", "a_work_item_is_warned_of_what_it_lacks"),
    ("work-done-unpinned", "records/tests/kinds.rs", "a_work_item_is_warned_of_what_it_lacks"),
    ("work-implements-undecided", "records/tests/kinds.rs", "a_work_item_is_warned_of_what_it_lacks"),
    ("work-implements-unknown", "records/tests/kinds.rs", "a_work_item_is_warned_of_what_it_lacks"),
    ("work-needs-cycle", "records/tests/kinds.rs", "a_work_item_waits_for_what_it_needs"),
    ("work-needs-unknown", "records/tests/kinds.rs", "a_work_item_waits_for_what_it_needs"),
    ("work-tier-unknown", "records/tests/kinds.rs", "a_work_item_is_warned_of_what_it_lacks"),
    ("write-input-invalid", "write/command/tests.rs", "a_record_that_would_be_invalid_is_not_written"),
    ("write-lock-not-held", "write/command/tests.rs", "a_write_whose_lock_was_broken_is_not_made"),
    ("write-lock-timeout", "lock/tests.rs", "a_command_holds_the_published_lock"),
    ("write-scope-class-unknown", "write/command/tests.rs", "an_unknown_class_stops_people"),
    ("write-scope-kind", "write/command/tests.rs", "a_class_writes_what_its_scope_lists"),
    ("write-scope-member", "write/command/tests.rs", "an_agent_session_writes_the_workspaces_kinds_and_its_own_members"),
    ("write-usage-invalid", "write/command/tests.rs", "a_record_that_would_be_invalid_is_not_written"),
];

/// The codes that no test here can reach, and why.
const LATER: &[(&str, &str)] =
    &[("work-done-gap-open", "the finding is one of the intent graph, which records does not walk yet")];

#[test]
fn every_code_of_the_records_is_reached_by_a_test() {
    let documents =
        [RECORDS, RECORDS_NEW, RECORDS_AMEND, RECORDS_REVIEW, RECORDS_CLOSE, RECORDS_SINCE, WRITE_LOCK];
    let mut listed: BTreeSet<&str> = DECLARATION.iter().copied().map(ReasonCode::as_str).collect();
    for document in &documents {
        listed.extend(document.errors().chain(document.parts()).map(ReasonCode::as_str));
    }
    let mut reached: BTreeSet<&str> = LATER.iter().map(|(code, _)| *code).collect();
    let sources = Path::new(env!("CARGO_MANIFEST_DIR")).join("src");
    for (code, file, test) in TABLE {
        let text = fs::read_to_string(sources.join(file)).unwrap_or_else(|error| panic!("{file}: {error}"));
        let start = text.find(&format!("fn {test}(")).unwrap_or_else(|| panic!("no test {test} in {file}"));
        let indent = text[..start].len() - text[..start].trim_end_matches(' ').len();
        let end = text[start..].find(&format!("\n{}}}\n", " ".repeat(indent))).unwrap();
        let body = &text[start..start + end];
        let constant = format!("codes::{}", code.to_uppercase().replace('-', "_"));
        assert!(body.contains(code) || body.contains(&constant), "{test} of {file} says nothing of {code}");
        assert!(reached.insert(code), "{code} stands twice");
    }
    let without: Vec<_> = listed.difference(&reached).collect();
    assert!(without.is_empty(), "no test reaches {without:?}");
    let unlisted: Vec<_> = reached.difference(&listed).collect();
    assert!(unlisted.is_empty(), "no document carries {unlisted:?}");
}
