//! The closed shape of a declaration.

use canon::jsonc::{Content, Node};

use super::grammar::{
    ANY, BRANCH_PREFIX, CHECK_ID, CLASS_NAME, COMMAND, COOKIE, COVER, DIR, DURATION, GLOB, INTEGRITY,
    INTERVAL, KIND_NAME, LINE, NAME, OUTPUT, PACKAGE, PATH, REMOTE, REPOSITORY, SCOPE_WORD, SHA256,
    STATE_NAME, TEXT, TITLE, URL, VERSION, WINDOW,
};
use super::shape::{Field, Grammar, List, Object, Others, Shape};

/// The kind of an entry that is an example group.
pub(super) const EXAMPLES: &str = "examples";

const fn text(grammar: &'static Grammar) -> Shape {
    Shape::Text(grammar)
}

const fn list(of: &'static Shape) -> Shape {
    Shape::List(List { of, at_least: 0, unique: false })
}

const fn set(of: &'static Shape) -> Shape {
    Shape::List(List { of, at_least: 0, unique: true })
}

const fn filled(of: &'static Shape, unique: bool) -> Shape {
    Shape::List(List { of, at_least: 1, unique })
}

const fn object(fields: &'static [Field]) -> Shape {
    Shape::Object(Object { fields, others: Others::Extensions, rule: None })
}

const fn closed(fields: &'static [Field]) -> Shape {
    Shape::Object(Object { fields, others: Others::Nothing, rule: None })
}

const fn ruled(fields: &'static [Field], rule: fn(&Node) -> Option<String>) -> Shape {
    Shape::Object(Object { fields, others: Others::Extensions, rule: Some(rule) })
}

const fn map(names: &'static Grammar, of: &'static Shape) -> Shape {
    Shape::Object(Object { fields: &[], others: Others::Named(names, of), rule: None })
}

const fn needs(name: &'static str, shape: &'static Shape) -> Field {
    Field { name, required: true, shape }
}

const fn may(name: &'static str, shape: &'static Shape) -> Field {
    Field { name, required: false, shape }
}

pub(super) static DECLARATION: Shape = object(&[
    may("$schema", &STRING),
    may("$comment", &STRING),
    needs("name", &NAMED),
    needs("schema", &Shape::FormatOne),
    may("minReader", &text(&VERSION)),
    needs("members", &list(&Shape::Choice(entry, "a member or an example group"))),
    may("pins", &list(&Shape::Choice(pin, "a pin: {package, version} or {path}"))),
    may("quorum", &Shape::Integer(0, u64::MAX)),
    may("records", &RECORDS),
    may("hosts", &list(&HOST)),
    may("diagrams", &list(&DIAGRAM)),
    may("checks", &map(&CHECK_ID, &Shape::Word(&["error", "warning", "info", "off"]))),
    may("changes", &CHANGES),
    may("writeScope", &WRITE_SCOPE),
    may("agents", &list(&AGENT)),
    may("identity", &IDENTITY),
    may("ci", &object(&[may("green", &GREEN)])),
]);

static STRING: Shape = text(&ANY);
static FILLED: Shape = text(&TEXT);
static NAMED: Shape = text(&NAME);
static KIND: Shape = text(&KIND_NAME);
static FILE: Shape = text(&PATH);
static PORT: Shape = Shape::Integer(1, 65_535);

fn entry(value: &Node) -> Option<&'static Shape> {
    matches!(value.content, Content::Object(_)).then(|| match value.get("kind").and_then(Node::as_str) {
        Some(EXAMPLES) => &GROUP,
        _ => &MEMBER,
    })
}

static MEMBER: Shape = ruled(
    &[
        needs("name", &NAMED),
        needs("dir", &text(&DIR)),
        needs("kind", &KIND),
        may("roles", &list(&Shape::Choice(role, "a name or {name, path}"))),
        may("generated", &list(&GENERATED)),
        may("outputs", &set(&text(&OUTPUT))),
        may("fields", &map(&ANY, &Shape::Choice(field_value, FIELD_VALUE))),
        may("links", &list(&LINK)),
        may("records", &RECORDS),
        may("diagrams", &list(&DIAGRAM)),
        may("box", &BOX),
        may("upstream", &FILLED),
        may("travel", &Shape::Bool),
        may("because", &FILLED),
        may("suppress", &SUPPRESS),
    ],
    |member| {
        let other = member.get("kind").and_then(Node::as_str) == Some("other");
        (other && member.get("because").is_none())
            .then(|| "a member of kind other needs \"because\", saying why it is there".to_owned())
    },
);

static GROUP: Shape = object(&[
    needs("name", &NAMED),
    needs("kind", &Shape::Word(&[EXAMPLES])),
    needs("glob", &Shape::Choice(glob, "a glob or a list of globs")),
    may("suppress", &SUPPRESS),
]);

fn glob(value: &Node) -> Option<&'static Shape> {
    static ONE: Shape = text(&GLOB);
    static SEVERAL: Shape = filled(&ONE, true);
    match value.content {
        Content::String(_) => Some(&ONE),
        Content::Array(_) => Some(&SEVERAL),
        _ => None,
    }
}

fn role(value: &Node) -> Option<&'static Shape> {
    static WITH_PATH: Shape = object(&[needs("name", &KIND), may("path", &text(&DIR))]);
    text_or_object(value, &KIND, &WITH_PATH)
}

fn text_or_object(value: &Node, text: &'static Shape, object: &'static Shape) -> Option<&'static Shape> {
    match value.content {
        Content::String(_) => Some(text),
        Content::Object(_) => Some(object),
        _ => None,
    }
}

const FIELD_VALUE: &str = "a string, a whole number, true or false, or an object of those";

fn field_value(value: &Node) -> Option<&'static Shape> {
    static PARTS: Shape = map(&ANY, &Shape::Choice(|value| plain(value).then_some(&Shape::Any), FIELD_VALUE));
    match value.content {
        Content::Object(_) => Some(&PARTS),
        _ => plain(value).then_some(&Shape::Any),
    }
}

fn plain(value: &Node) -> bool {
    match &value.content {
        Content::String(_) | Content::Bool(_) => true,
        Content::Number(number) => {
            number.is_i64() || number.is_u64() || number.as_f64().is_some_and(|float| float.fract() == 0.0)
        }
        _ => false,
    }
}

static SUPPRESS: Shape = list(&object(&[needs("check", &text(&CHECK_ID)), needs("because", &FILLED)]));
static RECORDS: Shape = list(&object(&[needs("kind", &FILE), may("name", &KIND)]));

static LINK: Shape = object(&[
    needs("member", &NAMED),
    needs("output", &text(&OUTPUT)),
    may("kind", &KIND),
    may("protocol", &Shape::Word(&["grpc", "http/protobuf", "http/json"])),
]);

static GENERATED: Shape = object(&[
    needs("path", &FILE),
    needs("generator", &FILLED),
    may("sources", &list(&FILE)),
    may("handWritten", &object(&[needs("because", &FILLED)])),
]);

fn pin(value: &Node) -> Option<&'static Shape> {
    static PACKAGED: Shape = object(&[
        needs("package", &text(&PACKAGE)),
        needs("version", &text(&VERSION)),
        may("integrity", &text(&INTEGRITY)),
    ]);
    static IN_TREE: Shape = object(&[needs("path", &text(&DIR)), may("integrity", &text(&INTEGRITY))]);
    let in_tree = value.get("path").is_some() && value.get("package").is_none();
    matches!(value.content, Content::Object(_)).then_some(if in_tree { &IN_TREE } else { &PACKAGED })
}

static HOST: Shape = object(&[
    needs("name", &NAMED),
    needs("ports", &closed(&[needs("from", &PORT), needs("to", &PORT), needs("perBox", &PORT)])),
    may("stateRoot", &FILLED),
]);

static DIAGRAM: Shape = ruled(
    &[
        needs("name", &NAMED),
        needs("title", &FILLED),
        may("source", &Shape::Nullable(&FILE)),
        may("render", &Shape::Nullable(&FILE)),
        needs(
            "renderer",
            &object(&[
                needs("tool", &Shape::Word(&["d2", "mermaid", "graphviz", "excalidraw"])),
                needs("version", &text(&VERSION)),
                may("args", &list(&STRING)),
            ]),
        ),
        may("sourceHash", &Shape::Nullable(&text(&SHA256))),
    ],
    |diagram| {
        let tool = diagram.get("renderer").and_then(|renderer| renderer.get("tool")).and_then(Node::as_str);
        let has = |field| diagram.get(field).is_some_and(|value: &Node| value.content != Content::Null);
        match tool? {
            tool @ ("mermaid" | "excalidraw") if !has("source") => {
                Some(format!("a {tool} diagram needs a \"source\""))
            }
            "d2" | "graphviz" if !has("render") => Some("missing required field \"render\"".to_owned()),
            _ => None,
        }
    },
);

static CHANGES: Shape =
    closed(&[may("severity", &Shape::Word(&["off", "warn", "fail"])), may("ignore", &list(&text(&GLOB)))]);

/// An agent's reach comes from its session, so its class names no members.
static WRITE_SCOPE: Shape = Shape::Object(Object {
    fields: &[may("agent", &object(&[may("protected", &PROTECTED), may("records", &VERBS)]))],
    others: Others::Named(&CLASS_NAME, &CLASS),
    rule: None,
});

static CLASS: Shape = object(&[
    may("members", &Shape::Choice(reach, "\"*\" or a list of members")),
    may("protected", &PROTECTED),
    may("records", &VERBS),
]);

static PROTECTED: Shape = list(&Shape::Choice(protected, "a glob or {path, except}"));
static VERBS: Shape = map(&KIND_NAME, &set(&Shape::Word(&["new", "amend", "review", "close"])));

fn reach(value: &Node) -> Option<&'static Shape> {
    static EVERY: Shape = Shape::Word(&["*"]);
    static SOME: Shape = set(&NAMED);
    match value.content {
        Content::String(_) => Some(&EVERY),
        Content::Array(_) => Some(&SOME),
        _ => None,
    }
}

fn protected(value: &Node) -> Option<&'static Shape> {
    static WHOLE: Shape = text(&GLOB);
    static PART: Shape = object(&[needs("path", &WHOLE), may("except", &filled(&FILLED, true))]);
    text_or_object(value, &WHOLE, &PART)
}

static AGENT: Shape = ruled(
    &[
        needs("name", &NAMED),
        may("member", &NAMED),
        may("members", &filled(&NAMED, true)),
        may("principals", &set(&FILLED)),
    ],
    |agent| match (agent.get("member"), agent.get("members")) {
        (None, None) => Some("an agent session needs \"member\" or \"members\"".to_owned()),
        (Some(_), Some(_)) => Some("an agent session has either \"member\" or \"members\"".to_owned()),
        _ => None,
    },
);

static IDENTITY: Shape = closed(&[
    may("attribution", &Shape::Word(&["any", "identified"])),
    may("gates", &map(&TEXT, &closed(&[may("class", &text(&CLASS_NAME))]))),
]);

static GREEN: Shape = object(&[
    needs("branch", &FILLED),
    may("window", &text(&WINDOW)),
    needs("phases", &map(&TEXT, &Shape::Choice(phase, "a list of patterns or {runs, skipped}"))),
    needs("require", &filled(&FILLED, true)),
]);

fn phase(value: &Node) -> Option<&'static Shape> {
    static RUNS: Shape = filled(&FILLED, false);
    static PHASE: Shape = object(&[needs("runs", &RUNS), may("skipped", &Shape::Word(&["fail", "pass"]))]);
    match value.content {
        Content::Array(_) => Some(&RUNS),
        Content::Object(_) => Some(&PHASE),
        _ => None,
    }
}

static BOX: Shape = ruled(
    &[
        may("intent", &FILLED),
        may("services", &list(&SERVICE)),
        may("factory", &FACTORY),
        may("listing", &LISTING),
        may(
            "capabilities",
            &list(&object(&[
                needs("name", &KIND),
                may("broker", &FILLED),
                may("scope", &set(&text(&SCOPE_WORD))),
            ])),
        ),
        may("host", &NAMED),
        may("slot", &Shape::Integer(0, u64::MAX)),
        may("ports", &map(&KIND_NAME, &Shape::Integer(0, 65_534))),
        may("state", &map(&STATE_NAME, &FILLED)),
        may("cookies", &set(&text(&COOKIE))),
        may("replicate", &REPLICATE),
        may("publisher", &text(&COMMAND)),
        may("ship", &SHIP),
    ],
    |place| {
        let lacks = |field| place.get(field).is_none();
        if lacks("host") {
            let field = ["slot", "ports", "state", "cookies"].into_iter().find(|field| !lacks(field))?;
            return Some(format!("a box with {field:?} needs \"host\""));
        }
        lacks("slot").then(|| "a box with \"host\" needs \"slot\"".to_owned())
    },
);

static SERVICE: Shape = object(&[
    needs("name", &KIND),
    needs("cmd", &FILLED),
    may("needs", &set(&KIND)),
    may("httpPort", &PORT),
    may("duration", &text(&DURATION)),
    may("health", &text(&URL)),
    may("optional", &Shape::Bool),
]);

static FACTORY: Shape = object(&[
    needs("builds", &filled(&NAMED, true)),
    may("check", &Shape::Choice(check, "a command or {run, kind}")),
    may("checks", &FILE),
    may("builders", &NAMED),
    may(
        "tiers",
        &list(&object(&[
            needs("tier", &FILLED),
            needs("agent", &FILLED),
            may("kinds", &filled(&KIND, true)),
            may("session", &NAMED),
        ])),
    ),
    may(
        "publish",
        &object(&[
            may("forge", &Shape::Word(&["github"])),
            needs("repo", &text(&REPOSITORY)),
            may("base", &FILLED),
            may("branchPrefix", &text(&BRANCH_PREFIX)),
            may("head", &text(&REPOSITORY)),
        ]),
    ),
]);

fn check(value: &Node) -> Option<&'static Shape> {
    static WITH_KIND: Shape = object(&[
        needs("run", &FILLED),
        may("kind", &Shape::Word(&["test", "build", "lint", "plan", "conformance"])),
    ]);
    text_or_object(value, &FILLED, &WITH_KIND)
}

static LISTING: Shape = object(&[
    may("published", &Shape::Bool),
    may("title", &text(&TITLE)),
    may("line", &text(&LINE)),
    may("cover", &text(&COVER)),
]);

static SHIP: Shape = object(&[
    needs("op", &FILLED),
    may("gate", &FILLED),
    may("env", &FILLED),
    may("bookkeeping", &list(&FILLED)),
]);

static REPLICATE: Shape = object(&[
    may("remote", &text(&REMOTE)),
    may("refs", &filled(&Shape::Word(&["work", "kept", "wip", "ledger"]), true)),
    may("on", &set(&Shape::Word(&["save", "release"]))),
    may("every", &text(&INTERVAL)),
]);
