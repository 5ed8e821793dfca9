use proptest::prelude::*;

use super::*;

fn stubbed(language: Language, text: &str) -> String {
    stub(language, text).unwrap_or_else(|| panic!("no stub of {text}"))
}

#[test]
fn javascript_functions_classes_and_exports() {
    let text = "#!/usr/bin/env node\n\"use strict\";\nconst fs = require(\"fs\");\n\
        import a, { b } from './a.js';\nexport * from './c.js';\n\
        export function f(x = 10) { return x }\nexport default class extends A {\n  \
        #p = go(); static { init(); }\n  constructor(x) { super(x * 2); this.y = x }\n  \
        get größe() { return 1 }\n  static async *g() { yield 1 }\n}\n\
        class B extends A { constructor() { const t = 1; super(t) } }\n\
        export const add = (a, b) => a + b, h = async () => { await a };\n\
        exports.add = add; B.prototype.m = function () { return 2 };\n\
        module.exports = build();\n";
    let expected = "#!/usr/bin/env node\n\"use strict\";\nconst fs = require(\"fs\");\n\
        import a, { b } from './a.js';\nexport * from './c.js';\n\
        export function f(x = 10) {}\nexport default class extends A {\n  \
        #p = undefined; static {}\n  constructor(x) { super(x * 2); }\n  \
        get größe() {}\n  static async *g() {}\n}\n\
        class B extends A { constructor() { super(...arguments); } }\n\
        export const add = (a, b) => undefined, h = async () => {};\n\
        exports.add = add; B.prototype.m = function () {};\n\
        module.exports = {};\n";
    assert_eq!(stubbed(Language::JavaScript, text), expected);
}

#[test]
fn javascript_constants_change_their_value_and_keep_their_type() {
    let text = "const L = Object.freeze({ max: 10, zero: 0, names: [\"x\", ``], on: true, off: false, re: /a/,\n  \
        big: 10n, neg: -3, nil: null, [k()]: 1, m() { return 1 }, ...more, ...load() });\n\
        let cache = new Map([[1, 2]]), app = express(), sum = 1 + 2, all = [...L.names];\n";
    let expected = "const L = Object.freeze({ max: 0, zero: 1, names: [\"\", \"stub\"], on: false, off: true, re: /(?!)/,\n  \
        big: 0n, neg: 0, nil: null, [undefined]: 0, m() {}, ...more, ...{} });\n\
        let cache = new Map(), app = undefined, sum = undefined, all = [];\n";
    assert_eq!(stubbed(Language::JavaScript, text), expected);
}

#[test]
fn javascript_that_runs_on_load_is_dropped_and_cannot_throw() {
    let text = "const { a: { b }, ...rest } = load();\nconst [q, , r = f()] = list();\nvar{c}=load();\n\
        const { join } = require('path');\nconst Base = mixin(A);\nclass C extends Base {}\n\
        class D extends mixin(A) { [name()]() {} }\n@local() class E {}\nfunction local() { return x => x }\n\
        app.get('/', () => 1);\nif (x) { module.exports = 1 }\n(function () { hidden() })()\n\
        export default(function () {})();\n";
    let expected = "const b = undefined, rest = undefined;\nconst q = undefined, r = undefined;\nvar c = undefined;\n\
        const { join } = require('path');\nconst Base = undefined;\nclass C extends Object {}\n\
        class D extends Object { [undefined]() {} }\n class E {}\nfunction local() {}\n\
        ;\n;\n;\n\
        export default undefined;\n";
    assert_eq!(stubbed(Language::JavaScript, text), expected);
}

#[test]
fn typescript_keeps_types_and_is_not_type_checked() {
    let text = "#!/usr/bin/env tsx\r\nimport type { T } from './t';\r\n\
        export abstract class A<T> extends Base<T> implements I {\r\n  @dec private p: string = 'a';\r\n  \
        constructor(readonly n: number) { super(n); this.p = 'x' }\r\n  abstract m(): void;\r\n  \
        o(a: string): void;\r\n  o(a: any) { return a }\r\n}\r\n\
        namespace N { export const k = run() as T; run(); }\r\nenum E { A = 'a' }\r\n\
        declare function d(): void;\r\nexport const v = <T,>(a: T): T => a, w = 5 satisfies number;\r\n";
    let expected = "#!/usr/bin/env tsx\r\n// @ts-nocheck\r\nimport type { T } from './t';\r\n\
        export abstract class A<T> extends Base<T> implements I {\r\n  @dec private p: string = \"\";\r\n  \
        constructor(readonly n: number) { super(n); }\r\n  abstract m(): void;\r\n  \
        o(a: string): void;\r\n  o(a: any) {}\r\n}\r\n\
        namespace N { export const k = undefined as T; ; }\r\nenum E { A = 'a' }\r\n\
        declare function d(): void;\r\nexport const v = <T,>(a: T): T => undefined, w = 0 satisfies number;\r\n";
    assert_eq!(stubbed(Language::TypeScript, text), expected);
    assert_eq!(stubbed(Language::TypeScript, "export = build();\n"), "// @ts-nocheck\nexport = {};\n");
    assert_eq!(
        stubbed(Language::Tsx, "export const C: FC<P> = ({ a }) => <b>{a}</b>;\nconst D = <i/>;\n"),
        "// @ts-nocheck\nexport const C: FC<P> = ({ a }) => undefined;\nconst D = undefined;\n"
    );
}

#[test]
fn python_functions_classes_and_constants() {
    let text = "\"\"\"Doc.\"\"\"\nfrom __future__ import annotations\nimport re\n__all__ = [\"add\"]\n\
        PATTERN = re.compile('a')\nLIMIT: int = 10\nNAMES = {'k': [1, '', (2.5, -3)], 'f': lambda x: x + 1}\n\
        a = b = True\nc, d = 1, b'x'\ne, (f, g) = load()\n\
        @lru_cache\ndef add(a, b=LIMIT, *, c: int = 3) -> int:\n    # why\n\n    \"\"\"Doc.\"\"\"\n    return a + b\n\
        class Größe(Base):\n    \"\"\"Doc.\"\"\"\n    kind = 'x'\n    @property\n    def g(self): return 1\n\
        \x20   async def h(self):\n        async with x:\n            return 1\n\
        print('hi')\nfor i in range(3): last = i\nif __name__ == '__main__':\n    main()\n";
    let expected = "\"\"\"Doc.\"\"\"\nfrom __future__ import annotations\nimport re\n__all__ = [\"add\"]\n\
        PATTERN = None\nLIMIT: int = 0\nNAMES = {'k': [0, \"stub\", (0.0, 0)], 'f': lambda x: None}\n\
        a = b = False\nc, d = 0, b\"\"\ne = f = g = None\n\
        @lru_cache\ndef add(a, b=LIMIT, *, c: int = 3) -> int:\n    # why\n\n    return None\n\
        class Größe(Base):\n    \"\"\"Doc.\"\"\"\n    kind = 'x'\n    @property\n    def g(self): return None\n\
        \x20   async def h(self):\n        return None\n\
        pass\ni = last = None\nif __name__ == '__main__':\n    pass\n";
    assert_eq!(stubbed(Language::Python, text), expected);
    let crlf = text.replace('\n', "\r\n");
    assert_eq!(stubbed(Language::Python, &crlf), expected.replace('\n', "\r\n"));
}

#[test]
fn python_that_an_import_needs_stays() {
    let text = "Base = declarative_base()\nT = TypeVar('T')\nSIZE = 10\nUNUSED = 10\napp = Flask(__name__)\n\
        def column(n): return Column(String(n))\n\
        class User(Base, Generic[T]):\n    name = column(SIZE)\n    def save(self): return 1\n\
        \x20   def _both(f): return f, f\n    x, y = _both(1)\n\
        class Meta(type):\n    def __new__(mcs, *a): return type.__new__(mcs, *a)\n\
        class M(metaclass=Meta): pass\n\
        class Color(IntEnum):\n    RED = auto()\n    def __new__(cls, v): return make(v)\n    def hex(self): return 1\n\
        @app.route('/')\ndef index(): return 1\n\
        try:\n    import fast\nexcept ImportError:\n    fast = None\n    log()\n\
        sys.path.insert(0, 'x')\n";
    let expected = "Base = declarative_base()\nT = TypeVar('T')\nSIZE = 10\nUNUSED = 0\napp = Flask(__name__)\n\
        def column(n): return Column(String(n))\n\
        class User(Base, Generic[T]):\n    name = column(SIZE)\n    def save(self): return None\n\
        \x20   def _both(f): return f, f\n    x, y = _both(1)\n\
        class Meta(type):\n    def __new__(mcs, *a): return type.__new__(mcs, *a)\n\
        class M(metaclass=Meta): pass\n\
        class Color(IntEnum):\n    RED = auto()\n    def __new__(cls, v): return make(v)\n    def hex(self): return None\n\
        @app.route('/')\ndef index(): return None\n\
        try:\n    import fast\nexcept ImportError:\n    fast = None\n    pass\n\
        sys.path.insert(0, 'x')\n";
    assert_eq!(stubbed(Language::Python, text), expected);
}

#[test]
fn python_decorators_of_the_module_itself_go() {
    let text = "def retry(n):\n    return lambda f: f\nregistry = retry(2)\n\
        @retry(3)\n@functools.cache\ndef f(): return 1\n@registry.add\ndef g(): return 1\n\
        class A:\n    @property\n    def x(self): return 1\n    @x.setter\n    def x(self, v): self.v = v\n";
    let expected = "def retry(n):\n    return None\nregistry = None\n\
        \n@functools.cache\ndef f(): return None\n\ndef g(): return None\n\
        class A:\n    @property\n    def x(self): return None\n    @x.setter\n    def x(self, v): return None\n";
    assert_eq!(stubbed(Language::Python, text), expected);
}

#[test]
fn rust_bodies_go_and_the_file_still_compiles() {
    let text = "//! Doc.\n#![deny(warnings)]\nuse std::fmt;\npub const N: usize = size(2);\n\
        const fn size(n: usize) -> usize { twice(n) }\nconst fn twice(n: usize) -> usize { n * 2 }\n\
        pub const fn free(n: usize) -> usize { n }\n\
        impl Drop for P { fn drop(&mut self) { log() } }\n\
        impl fmt::Display for P { fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result { write!(f, \"größe\") } }\n\
        pub trait T { fn d(&self) -> u8 { 1 } fn r(&self); }\n\
        fn i(x: &[u8]) -> impl Iterator<Item = &u8> + '_ + Send { x.iter() }\n\
        fn o(x: u32) -> impl Fn(u32) -> u32 { move |y| x + y }\n\
        mod inner { pub async fn f(x: u8) -> u8 { x } }\n\
        macro_rules! m { () => { fn mm() -> u8 { 1 } } }\n\
        #[cfg(test)]\nmod tests { #[test] fn t() { assert_eq!(inner::f(1), 1); } }\n\
        #[cfg(not(test))]\nfn p() -> u8 { 1 }\n#[tokio::test]\n// why\nasync fn q() { assert!(true) }\n";
    let expected = "//! Doc.\n#![deny(warnings)]\n#![allow(warnings, unused)]\nuse std::fmt;\npub const N: usize = size(2);\n\
        const fn size(n: usize) -> usize { twice(n) }\nconst fn twice(n: usize) -> usize { n * 2 }\n\
        pub const fn free(n: usize) -> usize { panic!() }\n\
        impl Drop for P { fn drop(&mut self) {} }\n\
        impl fmt::Display for P { fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result { unimplemented!() } }\n\
        pub trait T { fn d(&self) -> u8 { unimplemented!() } fn r(&self); }\n\
        fn i(x: &[u8]) -> impl Iterator<Item = &u8> + '_ + Send { ::core::iter::from_fn(|| unimplemented!()) }\n\
        fn o(x: u32) -> impl Fn(u32) -> u32 { move |y| x + y }\n\
        mod inner { pub async fn f(x: u8) -> u8 { unimplemented!() } }\n\
        macro_rules! m { () => { fn mm() -> u8 { 1 } } }\n\
        #[cfg(test)]\nmod tests { #[test] fn t() { assert_eq!(inner::f(1), 1); } }\n\
        #[cfg(not(test))]\nfn p() -> u8 { unimplemented!() }\n#[tokio::test]\n// why\nasync fn q() { assert!(true) }\n";
    assert_eq!(stubbed(Language::Rust, text), expected);
    assert_eq!(stubbed(Language::Rust, "mod a;\r\n"), "#![allow(warnings, unused)]\r\nmod a;\r\n");
}

#[test]
fn go_bodies_go_and_unused_imports_become_blank() {
    let text = "package a\n\nimport \"fmt\"\nimport (\n\t\"context\"\n\t\"encoding/json\"\n\tstr \"strings\"\n\
        \t. \"math\"\n\t\"gopkg.in/yaml.v3\"\n\t\"example.org/go-redis/v9\"\n\t\"os\"\n\t\"C\"\n)\n\
        var cfg, other = load(\"a\"), 2\nvar fns = map[string]func(int) int{\"a\": func(x int) int { return x }}\n\
        var now = func() string { return str.ToUpper(\"a\") }()\nvar client redis.Client\nconst Max = 10\n\
        type T struct{ ctx context.Context }\nfunc init() { fmt.Println(1) }\n\
        func load(p string) int { return deep(len(p)) }\nfunc deep(n int) int { os.Exit(0); return n }\n\
        func (t *T) M(a int) error { json.Marshal(a); yaml.Marshal(a); return nil }\n\
        func größe[K any](k K) K { return k }\nfunc asm(x int) int\n";
    let expected = "package a\n\nimport _ \"fmt\"\nimport (\n\t\"context\"\n\t_ \"encoding/json\"\n\tstr \"strings\"\n\
        \t. \"math\"\n\t_ \"gopkg.in/yaml.v3\"\n\t\"example.org/go-redis/v9\"\n\t\"os\"\n\t\"C\"\n)\n\
        var cfg, other = load(\"a\"), 2\nvar fns = map[string]func(int) int{\"a\": func(x int) int { panic(\"stub\") }}\n\
        var now = func() string { return str.ToUpper(\"a\") }()\nvar client redis.Client\nconst Max = 10\n\
        type T struct{ ctx context.Context }\nfunc init() {}\n\
        func load(p string) int { return deep(len(p)) }\nfunc deep(n int) int { os.Exit(0); return n }\n\
        func (t *T) M(a int) error { panic(\"stub\") }\n\
        func größe[K any](k K) K { panic(\"stub\") }\nfunc asm(x int) int\n";
    assert_eq!(stubbed(Language::Go, text), expected);
}

#[test]
fn what_has_no_stub() {
    assert_eq!(stub(Language::Java, "class A {}"), None);
    assert_eq!(stub(Language::Rust, "fn f( {"), None);
    assert_eq!(stub(Language::Python, &"x = 1\n".repeat(200_000)), None);
    assert_eq!(stub(Language::JavaScript, "").as_deref(), Some(""));
}

#[test]
fn deep_nesting_ends_in_a_stub() {
    let nested = |open: &str, close: &str| format!("{}1{}", open.repeat(3_000), close.repeat(3_000));
    for (language, text) in [
        (Language::JavaScript, format!("const a = {};", nested("[", "]"))),
        (Language::JavaScript, format!("const a = {};", nested("(", ")"))),
        (Language::JavaScript, format!("a = {};", nested("class { b = ", " }"))),
        (Language::Python, format!("a = {}\n", nested("[", "]"))),
        (Language::Go, format!("package a\nvar x = {}\n", nested("f(", ")"))),
        (Language::Rust, format!("const A: u8 = {};", nested("(", ")"))),
    ] {
        stubbed(language, &text);
    }
}

/// Pieces of each language that parse in any order.
fn pieces(language: Language) -> Vec<&'static str> {
    match language {
        Language::Python => vec![
            "x = y = 1\n",
            "a, b = f()\n",
            "def f(a, b=x): return a\n",
            "class A(B, metaclass=M):\n    x = 1\n    def m(self):\n        return 1\n",
            "@x.y(1)\ndef g():\n    yield\n",
            "if x:\n    y()\nelse:\n    z = 1\n",
            "for i in x:\n    pass\n",
            "with a as b:\n    c = {'d': [1, *e]}\n",
            "print(1)\n",
            "x: int = -1\n",
            "# c\n",
            "v = (\n    # c\n    1 +\n    2)\n",
            "l = lambda: (yield)\n",
            "del x\n",
            "'doc'\n",
            "async def h():\n    await x\n",
        ],
        Language::Rust => vec![
            "fn f() -> u8 { 1 }\n",
            "#[test]\nfn t() {}\n",
            "impl A { const fn b(&self) {} }\n",
            "const C: u8 = f();\n",
            "mod m { fn g() {} }\n",
            "trait T { fn x(); fn y() { } }\n",
            "// c\n",
            "macro_rules! z { () => {} }\n",
            "pub async unsafe fn q<T>(t: T) -> impl Iterator<Item = T> where T: Copy { x }\n",
            "#[a]\nstruct S;\n",
        ],
        Language::Go => vec![
            "func f() int { return 1 }\n",
            "func (t T) m() { g() }\n",
            "var x = f()\n",
            "var y = func() int { return 1 }\n",
            "const c = 1\n",
            "type T struct{}\n",
            "// c\n",
            "func init() { }\n",
        ],
        _ => vec![
            "function f(a) { return a }\n",
            "class A extends B { constructor() { super(); } m() { return 1 } }\n",
            "const x = { a: [1, ...b], c() {} };\n",
            "let y = () => ({});\n",
            "var { p, q: [r] } = s;\n",
            "export const z = 1;\n",
            "export default(function () {});\n",
            "if (a) { b() }\n",
            "a.b = 1\n",
            "exports.a = () => 1\n",
            "f(function () {})\n",
            ";\n",
            "// c\n",
            "import d from 'd';\n",
            "x: for (;;) break x\n",
            "`a${b}`\n",
            "[1].map(f)\n",
            "const e = (/* c */ 1);\n",
            "export { f as g };\n",
            "async function* h() { yield* h() }\n",
        ],
    }
}

proptest! {
    #[test]
    fn whatever_parses_has_a_stub_that_parses(order in proptest::collection::vec(0..64_usize, 0..14), crlf: bool) {
        for language in [Language::JavaScript, Language::TypeScript, Language::Tsx, Language::Python, Language::Rust, Language::Go] {
            let pieces = pieces(language);
            let body: String = order.iter().map(|at| pieces[at % pieces.len()]).collect();
            let text = if language == Language::Go { format!("package a\n{body}") } else { body };
            let text = if crlf { text.replace('\n', "\r\n") } else { text };
            let parses = syntax::parse(language, &text).is_some_and(|tree| !tree.root_node().has_error());
            prop_assert_eq!(stub(language, &text).is_some(), parses, "{}", text);
        }
    }

    #[test]
    fn no_text_makes_it_fail(text in "([(){}\\[\\];:.,*='\"`\\\\\r\n #@ü]|def |class |fn |=>|[a-z]{1,3}|\\PC){0,60}") {
        for language in [Language::JavaScript, Language::Tsx, Language::Python, Language::Rust, Language::Go] {
            let _ = stub(language, &text);
        }
    }
}
