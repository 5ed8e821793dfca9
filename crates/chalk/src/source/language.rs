//! Which language a path is written in, and whether the path looks like a test.
//!
//! Both answers come from the name alone, so that they hold for files that are deleted, ignored or in another
//! revision. Paths are repository-relative with forward slashes.

/// Declares [`Language`] and both directions of its table in one place.
///
/// A row is `Variant "name" kind [extensions] [whole file names]`; extensions are lower case and without dot.
/// An extension in two rows is an unreachable pattern, so the compiler refuses it.
macro_rules! languages {
    ($($variant:ident $name:literal $kind:ident [$($extension:literal),*] [$($file:literal),*])*) => {
        /// A language that source text is written in.
        #[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
        #[non_exhaustive]
        pub enum Language {
            $(#[doc = $name] $variant,)*
        }

        impl Language {
            /// The name that people know the language by.
            #[must_use]
            pub const fn name(self) -> &'static str {
                match self {
                    $(Self::$variant => $name,)*
                }
            }

            const fn kind(self) -> Kind {
                match self {
                    $(Self::$variant => Kind::$kind,)*
                }
            }

            fn by_extension(extension: &str) -> Option<Self> {
                match extension {
                    $($($extension => Some(Self::$variant),)*)*
                    _ => None,
                }
            }

            fn by_file_name(name: &str) -> Option<Self> {
                match name {
                    $($($file => Some(Self::$variant),)*)*
                    _ => None,
                }
            }
        }
    };
}

#[derive(PartialEq)]
enum Kind {
    /// A test can be written in it.
    Program,
    /// Code by size, but no test is written in it: styles, markup, schemas, queries, build and infrastructure.
    Description,
}

languages! {
    Assembly "Assembly" Program ["s", "asm"] []
    Astro "Astro" Description ["astro"] []
    Awk "AWK" Program ["awk"] []
    Bash "Shell" Program ["sh", "bash", "zsh", "ksh", "bats"] []
    C "C" Program ["c", "h"] []
    CSharp "C#" Program ["cs", "csx"] []
    Clojure "Clojure" Program ["clj", "cljs", "cljc", "edn"] []
    CMake "CMake" Description ["cmake"] ["CMakeLists.txt"]
    CommonLisp "Common Lisp" Program ["lisp", "lsp", "cl"] []
    Cpp "C++" Program ["cc", "cpp", "cxx", "hh", "hpp", "hxx", "inl", "ipp", "tpp"] []
    Crystal "Crystal" Program ["cr"] []
    Css "CSS" Description ["css", "scss", "sass", "less", "styl", "pcss"] []
    Cuda "CUDA" Program ["cu", "cuh"] []
    D "D" Program ["d"] []
    Dart "Dart" Program ["dart"] []
    Docker "Dockerfile" Description ["dockerfile"] ["Dockerfile", "Containerfile"]
    Elixir "Elixir" Program ["ex", "exs"] []
    Elm "Elm" Program ["elm"] []
    Erlang "Erlang" Program ["erl", "hrl"] ["rebar.config"]
    Fish "fish" Program ["fish"] []
    Fortran "Fortran" Program ["f", "f77", "f90", "f95", "f03", "f08", "for"] []
    FSharp "F#" Program ["fs", "fsi", "fsx"] []
    GdScript "GDScript" Program ["gd"] []
    Gleam "Gleam" Program ["gleam"] []
    Go "Go" Program ["go"] []
    Gradle "Gradle" Description ["gradle"] []
    GraphQl "GraphQL" Description ["graphql", "gql"] []
    Groovy "Groovy" Program ["groovy", "gvy"] ["Jenkinsfile"]
    Haskell "Haskell" Program ["hs", "lhs"] []
    Haxe "Haxe" Program ["hx"] []
    Html "HTML" Description ["html", "htm", "xhtml"] []
    Java "Java" Program ["java"] []
    JavaScript "JavaScript" Program ["js", "mjs", "cjs", "jsx"] []
    Julia "Julia" Program ["jl"] []
    Just "just" Description ["just"] ["justfile", "Justfile", ".justfile"]
    Kotlin "Kotlin" Program ["kt", "kts"] []
    Lua "Lua" Program ["lua", "luau"] []
    Make "Make" Description ["mk", "mak"] ["Makefile", "makefile", "GNUmakefile"]
    Nim "Nim" Program ["nim", "nims"] []
    Nix "Nix" Description ["nix"] []
    OCaml "OCaml" Program ["ml", "mli"] []
    ObjectiveC "Objective-C" Program ["m"] []
    ObjectiveCpp "Objective-C++" Program ["mm"] []
    Pascal "Pascal" Program ["pas", "dpr"] []
    Perl "Perl" Program ["pl", "pm"] []
    Php "PHP" Program ["php", "phtml"] []
    PowerShell "PowerShell" Program ["ps1", "psm1"] []
    Prisma "Prisma" Description ["prisma"] []
    Protobuf "Protocol Buffers" Description ["proto"] []
    Python "Python" Program ["py", "pyi", "pyw"] []
    R "R" Program ["r"] []
    Racket "Racket" Program ["rkt"] []
    Ruby "Ruby" Program ["rb", "rake", "gemspec"] ["Gemfile", "Rakefile", "Podfile", "Fastfile", "Vagrantfile"]
    Rust "Rust" Program ["rs"] []
    Scala "Scala" Program ["scala", "sc", "sbt"] []
    Scheme "Scheme" Program ["scm", "ss"] []
    Solidity "Solidity" Program ["sol"] []
    Sql "SQL" Description ["sql"] []
    Starlark "Starlark" Description ["bzl", "star"] ["BUILD", "BUILD.bazel", "WORKSPACE", "Tiltfile"]
    Svelte "Svelte" Description ["svelte"] []
    Swift "Swift" Program ["swift"] []
    Tcl "Tcl" Program ["tcl"] []
    Terraform "Terraform" Description ["tf", "tfvars", "hcl"] []
    Tsx "TSX" Program ["tsx"] []
    TypeScript "TypeScript" Program ["ts", "mts", "cts"] []
    Vala "Vala" Program ["vala"] []
    VerilogHdl "Verilog" Program ["v", "sv", "svh"] []
    Vhdl "VHDL" Program ["vhd", "vhdl"] []
    VisualBasic "Visual Basic" Program ["vb"] []
    Vue "Vue" Description ["vue"] []
    Wgsl "WGSL" Program ["wgsl", "glsl", "hlsl"] []
    Zig "Zig" Program ["zig"] []
}

impl Language {
    /// The language of the file at `path`, or `None` for data, prose and what nobody knows.
    ///
    /// Extensions are compared without regard to case. JSON, YAML, TOML, XML and Markdown are data or prose.
    #[must_use]
    pub fn of(path: &str) -> Option<Self> {
        let name = file_name(path);
        if let Some(language) = Self::by_file_name(name) {
            return Some(language);
        }
        let (_, extension) = split_extension(name)?;
        // Long enough for each extension of the table, and no allocation for the common lower-case name.
        if extension.bytes().any(|byte| byte.is_ascii_uppercase()) {
            Self::by_extension(&extension.to_ascii_lowercase())
        } else {
            Self::by_extension(extension)
        }
    }

    /// Whether a test can be written in the language; false for styles, markup, schemas and build files.
    #[must_use]
    pub fn holds_tests(self) -> bool {
        self.kind() == Kind::Program
    }

    /// Whether names of types, and so test names in camel case such as `FooTest`, follow the file name.
    const fn names_files_after_types(self) -> bool {
        matches!(
            self,
            Self::Java
                | Self::Kotlin
                | Self::Scala
                | Self::Groovy
                | Self::CSharp
                | Self::FSharp
                | Self::VisualBasic
                | Self::Swift
                | Self::Php
                | Self::ObjectiveC
                | Self::ObjectiveCpp
                | Self::Cpp
                | Self::Haskell
        )
    }

    /// Whether `FooSpec` names a test there. Elsewhere it is as often the description of a thing (`PodSpec`).
    const fn calls_tests_specs(self) -> bool {
        matches!(self, Self::Scala | Self::Groovy | Self::Kotlin | Self::Haskell | Self::Php)
    }
}

/// Whether the file at `path` is code in any language of the table.
#[must_use]
pub fn is_code(path: &str) -> bool {
    Language::of(path).is_some()
}

/// Whether `path` looks like a test: a language that tests are written in, and one of
///
/// - a folder `test`, `tests`, `spec`, `specs` or `__tests__` (any case);
/// - a name that ends in `test`, `tests`, `spec` or `specs` after a dot, dash or underscore (`a.test.ts`,
///   `a_spec.rb`, `a-test.mjs`);
/// - a name that starts with `test_`;
/// - `FooTest`, `FooTests` in languages that name files after types, and `FooSpec` where that means a test;
/// - `tests.rs` and `tests.py`, the file form of a test module.
///
/// The name proves that a test exists, never that it asserts anything.
#[must_use]
pub fn is_test_path(path: &str) -> bool {
    let Some(language) = Language::of(path).filter(|language| language.holds_tests()) else { return false };
    let (folders, name) = path.rsplit_once('/').unwrap_or(("", path));
    if folders.split('/').any(is_test_folder) {
        return true;
    }
    let Some((stem, _)) = split_extension(name) else { return false };
    has_prefix(stem, "test_")
        || has_test_ending(stem)
        || is_type_test(language, stem)
        || is_test_module(language, stem)
}

/// The name of the thing that a test file's name says it tests, without the mark of the test:
/// `parse` for `parse.test.ts`, `test_parse.py`, `parse_spec.rb`; `Foo` for `FooTest.java`.
///
/// `None` when the name carries no mark, which is so for most tests that a folder marks.
#[must_use]
pub fn tested_stem(path: &str) -> Option<&str> {
    let language = Language::of(path)?;
    let (stem, _) = split_extension(file_name(path))?;
    let subject = if has_prefix(stem, "test_") {
        &stem["test_".len()..]
    } else if has_test_ending(stem) {
        &stem[..stem.rfind(['.', '-', '_'])?]
    } else if is_type_test(language, stem) {
        type_test_subject(stem)?.0
    } else {
        return None;
    };
    (!subject.is_empty()).then_some(subject)
}

/// The part of `path` after the last slash.
pub(super) fn file_name(path: &str) -> &str {
    path.rsplit_once('/').map_or(path, |(_, name)| name)
}

/// Stem and extension of a file name. A leading dot starts a name, not an extension: `.js` has none.
pub(super) fn split_extension(name: &str) -> Option<(&str, &str)> {
    name.rsplit_once('.').filter(|(stem, _)| !stem.is_empty())
}

fn is_test_folder(folder: &str) -> bool {
    ["test", "tests", "spec", "specs", "__tests__"].iter().any(|name| folder.eq_ignore_ascii_case(name))
}

/// Case-insensitive, and safe for a `text` whose bytes at that place are the middle of a character.
fn has_prefix(text: &str, prefix: &str) -> bool {
    text.get(..prefix.len()).is_some_and(|start| start.eq_ignore_ascii_case(prefix))
}

fn has_test_ending(stem: &str) -> bool {
    stem.rsplit_once(['.', '-', '_']).is_some_and(|(before, word)| {
        !before.is_empty()
            && ["test", "tests", "spec", "specs"].iter().any(|ending| word.eq_ignore_ascii_case(ending))
    })
}

/// `Foo` and `Test` of `FooTest`. The capital keeps `Latest` and `Contest` out.
fn type_test_subject(stem: &str) -> Option<(&str, &'static str)> {
    ["Test", "Tests", "Spec", "Specs"]
        .into_iter()
        .find_map(|ending| stem.strip_suffix(ending).map(|subject| (subject, ending)))
        .filter(|(subject, _)| subject.ends_with(|last: char| last.is_alphanumeric()))
}

fn is_type_test(language: Language, stem: &str) -> bool {
    language.names_files_after_types()
        && type_test_subject(stem)
            .is_some_and(|(_, ending)| ending.starts_with("Test") || language.calls_tests_specs())
}

fn is_test_module(language: Language, stem: &str) -> bool {
    stem == "tests" && matches!(language, Language::Rust | Language::Python)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn extensions_and_whole_names_give_the_language() {
        for (path, language) in [
            ("src/main.rs", Language::Rust),
            ("a.mjs", Language::JavaScript),
            ("a.d.ts", Language::TypeScript),
            ("web/App.tsx", Language::Tsx),
            ("lib/widget.dart", Language::Dart),
            ("Program.cs", Language::CSharp),
            ("infra/main.tf", Language::Terraform),
            ("analysis.R", Language::R),
            ("Dockerfile", Language::Docker),
            ("sub/Makefile", Language::Make),
            ("Gemfile", Language::Ruby),
            ("größe/名前.py", Language::Python),
        ] {
            assert_eq!(Language::of(path), Some(language), "{path}");
        }
        for path in ["README.md", "package.json", ".js", "js", "a.", "", "dir.rs/LICENSE", "a.yaml"] {
            assert_eq!(Language::of(path), None, "{path}");
            assert!(!is_code(path), "{path}");
        }
    }

    #[test]
    fn every_extension_of_the_published_count_is_code() {
        for extension in super::super::size::PUBLISHED_EXTENSIONS {
            assert!(is_code(&format!("a.{extension}")), "{extension}");
        }
    }

    #[test]
    fn test_looking_paths() {
        for path in [
            "test/a.js",
            "tests/deep/er/a.py",
            "Tests/a.swift",
            "src/__tests__/a.tsx",
            "spec/a.rb",
            "src/a.test.ts",
            "src/a.spec.mjs",
            "a-test.js",
            "a_test.go",
            "a_spec.rb",
            "parser_tests.erl",
            "pkg/test_a.py",
            "Test_a.py",
            "tests/common/mod.rs",
            "src/parser/tests.rs",
            "shop/tests.py",
            "FooTest.java",
            "FooTests.cs",
            "FooSpec.scala",
            "HTTPTest.kt",
            "test_größe.py",
        ] {
            assert!(is_test_path(path), "{path}");
        }
    }

    #[test]
    fn paths_that_only_resemble_a_test() {
        for path in [
            "src/a.rs",
            "latest.js",
            "Contest.java",
            "src/testing.py",
            "tests/notes.md",
            "tests/page.html",
            "tests/schema.sql",
            "foo-test.txt",
            "PodSpec.java",
            "PodSpec.ts",
            "test.js",
            "Test.java",
            ".test.js",
            "src/commands/test.rs",
            "contests/a.rs",
            "",
        ] {
            assert!(!is_test_path(path), "{path}");
        }
    }

    #[test]
    fn the_name_of_a_test_gives_its_subject() {
        assert_eq!(tested_stem("test/parse.test.ts"), Some("parse"));
        assert_eq!(tested_stem("tests/test_parse.py"), Some("parse"));
        assert_eq!(tested_stem("spec/order_item_spec.rb"), Some("order_item"));
        assert_eq!(tested_stem("FooTests.cs"), Some("Foo"));
        assert_eq!(tested_stem("tests/größe_test.go"), Some("größe"));
        assert_eq!(tested_stem("tests/cli.rs"), None);
        assert_eq!(tested_stem("src/tests.rs"), None);
        assert_eq!(tested_stem("test_.py"), None);
    }
}
