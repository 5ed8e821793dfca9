//! The catalogue: every check that there is, in its published order.

use crate::declaration::Severity;

/// A check, as people and settings name it.
#[derive(Debug, Clone, Copy)]
pub struct Check {
    /// Its id, as in `WSP004`.
    pub id: &'static str,
    /// Its name, as in `member-dir-missing`.
    pub name: &'static str,
    /// What holds where it finds nothing.
    pub description: &'static str,
    /// How much its findings count where the declaration says nothing.
    pub severity: Severity,
    /// Whether the declaration may neither change that nor suppress a finding.
    pub is_fixed: bool,
    /// Whether it is left out here: it needs what only a member's own toolchain can tell.
    pub is_foreign: bool,
}

macro_rules! catalogue {
    ($($name:ident = $id:literal $word:literal $severity:ident $set:ident $reach:ident: $description:literal;)+) => {
        /// The name of a check within this program; the order is the catalogue's.
        #[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
        #[expect(dead_code, reason = "the checks that are left out are in the catalogue too")]
        pub(super) enum Id {
            $($name,)+
        }

        /// Every check, in the published order.
        pub const CATALOGUE: &[Check] = &[
            $(Check {
                id: $id,
                name: $word,
                description: $description,
                severity: Severity::$severity,
                is_fixed: catalogue!($set),
                is_foreign: catalogue!($reach),
            },)+
        ];
    };
    (fixed) => { true };
    (free) => { false };
    (foreign) => { true };
    (here) => { false };
}

catalogue! {
    DeclarationUnreadable = "WSP001" "declaration-unreadable" Error fixed here:
        "The declaration can be read.";
    KindsUnreadable = "WSP002" "kinds-unreadable" Error fixed here:
        "What a pin supplies can be read, at the version and with the integrity that the pin names.";
    KindUnknown = "WSP003" "kind-unknown" Error fixed here:
        "The kind of every member is built in, or a pin supplies it.";
    MemberDirMissing = "WSP004" "member-dir-missing" Error free here:
        "The directory of every member exists.";
    KindProbeFailed = "WSP005" "kind-probe-failed" Error free here:
        "The directory of every member is what its kind reads, and its fields have the types of the kind.";
    KindProbeTie = "WSP006" "kind-probe-tie" Error fixed here:
        "No two kinds of the same highest precedence claim one directory.";
    KindOutranked = "WSP007" "kind-outranked" Error free here:
        "No other kind claims a member's directory before the declared one.";
    OtherClaimed = "WSP008" "other-claimed" Error fixed here:
        "No kind claims the directory of a member that is declared as other.";
    OtherMember = "WSP009" "other-member" Warning free here:
        "No member is of kind other, which nothing reads.";
    GroupEmpty = "WSP010" "group-empty" Warning free here:
        "Every example group matches a project.";
    CheckSettingsInvalid = "WSP011" "check-settings-invalid" Error fixed here:
        "Settings and suppressions name checks that may be set.";
    OwnershipStackShared = "WSP071" "ownership-stack-shared" Error fixed foreign:
        "No two members own resources under one stack.";
    FlatLedgerEnvironmentShared = "WSP072" "flat-ledger-environment-shared" Error fixed foreign:
        "No two members write one environment into the flat ledger.";
    LedgerSettingsUnread = "WSP073" "ledger-settings-unread" Info free foreign:
        "The ledger settings of every member can be read without running it.";
    GeneratedDeclaredTwice = "WSP081" "generated-declared-twice" Error free here:
        "Every generated file has one member that writes it.";
    GeneratedOutsideMember = "WSP082" "generated-outside-member" Error free here:
        "A member's generated files lie in its directory, or where a forge looks for its pipelines.";
    LinkedEnvironmentsDisjoint = "WSP083" "linked-environments-disjoint" Warning free here:
        "Linked members share the name of an environment.";
    LinkTargetUnknown = "WSP091" "link-target-unknown" Error fixed here:
        "Every link names another member.";
    LinkKindUnknown = "WSP092" "link-kind-unknown" Error fixed here:
        "Every link is of a kind that is known.";
    LinkOutputMissing = "WSP093" "link-output-missing" Error free here:
        "Every link names an output that the producer lists. Outputs that stand in a member's source are not looked at.";
    LinkUnresolved = "WSP094" "link-unresolved" Info free here:
        "Every link can be resolved without running a member.";
    JoinAmbiguous = "WSP095" "join-ambiguous" Warning free foreign:
        "No parameter joins two outputs.";
    LinkDuplicate = "WSP096" "link-duplicate" Error free here:
        "A member states each link once.";
    OutputsNotListable = "WSP097" "outputs-not-listable" Error free here:
        "A member lists outputs where its kind takes them from the entry.";
    LinkProtocolMisplaced = "WSP098" "link-protocol-misplaced" Error free here:
        "Only a telemetry link has a protocol.";
    GeneratedDrift = "WSP101" "generated-drift" Error free foreign:
        "Every generated file is as its generator writes it.";
    GeneratedMissing = "WSP102" "generated-missing" Error free here:
        "Every generated file exists.";
    GeneratorFailed = "WSP103" "generator-failed" Error free foreign:
        "Every generator runs.";
    GeneratedHandWritten = "WSP104" "generated-hand-written" Info free here:
        "No generated file is kept by hand.";
    GeneratedNotCompared = "WSP105" "generated-not-compared" Info free here:
        "Every generated file was compared with what its generator writes.";
    GeneratedSourceMissing = "WSP106" "generated-source-missing" Error free here:
        "Every source of a generated file exists.";
    RecordAssetDrift = "WSP111" "record-asset-drift" Warning free here:
        "Every file that a current record pins is as it was pinned.";
    RecordAssetMissing = "WSP112" "record-asset-missing" Warning free here:
        "Every file that a current record pins exists.";
    RecordAssetStale = "WSP113" "record-asset-stale" Warning free here:
        "No current record pins a file that is still as the record before it pinned it.";
    RecordsUnreadable = "WSP114" "records-unreadable" Error fixed here:
        "The records of the kind that was asked for can be read, and no two records of a kind have one id.";
    RecordKindUnloadable = "WSP115" "record-kind-unloadable" Error fixed here:
        "Every declared kind of records can be loaded.";
    DecisionPointsInvalid = "WSP116" "decision-points-invalid" Error fixed here:
        "The points file of every declared kind of answers is valid.";
    WorkAcceptanceUnmet = "WSP117" "work-acceptance-unmet" Error free here:
        "Every criterion of a done work item is met.";
    BoxCredentialDeclared = "WSP121" "box-credential-declared" Error fixed here:
        "No file of a box holds a secret.";
    BoxCapabilityUnbrokered = "WSP122" "box-capability-unbrokered" Error free here:
        "Every capability of a box has a broker.";
    BoxIsolationCollision = "WSP123" "box-isolation-collision" Error fixed here:
        "No two boxes of a host come to one port, file or cookie.";
    BoxIsolationLiteral = "WSP124" "box-isolation-literal" Error fixed here:
        "No state of a box lies at a path of one machine.";
    BoxFountainCallbackUndeclared = "WSP125" "box-fountain-callback-undeclared" Error free foreign:
        "A box that is built as a fountain Box declares the callback token that it is given.";
    BoxIntentUnknown = "WSP126" "box-intent-unknown" Error free here:
        "The intent of a box is the id of a decision.";
    BoxIntentUnconstrained = "WSP127" "box-intent-unconstrained" Warning free here:
        "The decision that is the intent of a box constrains a member or path of the workspace.";
    DiagramSourceMissing = "WSP131" "diagram-source-missing" Error free here:
        "The source that a diagram names exists.";
    DiagramRenderMissing = "WSP132" "diagram-render-missing" Error free here:
        "The picture that a diagram names exists.";
    DiagramRenderDrift = "WSP133" "diagram-render-drift" Error free here:
        "The source of a diagram is as it was when the picture was drawn.";
    LinkLiveMissing = "WSP141" "link-live-missing" Warning free foreign:
        "Every link names an output that the producer has in the environment.";
    LinkLiveUnresolved = "WSP142" "link-live-unresolved" Info free foreign:
        "Every link can be resolved in the environment.";
}

impl Id {
    /// The check.
    pub(super) fn check(self) -> &'static Check {
        &CATALOGUE[self as usize]
    }

    /// The check of this id.
    pub(super) fn named(id: &str) -> Option<&'static Check> {
        CATALOGUE.iter().find(|check| check.id == id)
    }
}
