use proptest::prelude::*;

use super::*;

fn secrets(text: &str) -> Vec<String> {
    scan(text).into_iter().filter(|one| one.class == Class::Secret).map(|one| one.what).collect()
}

fn personal(text: &str) -> Vec<String> {
    scan(text).into_iter().filter(|one| one.class == Class::Personal).map(|one| one.what).collect()
}

/// Put together here, so that no tool that looks through sources takes this file for a leak.
fn drawn(length: usize) -> String {
    "q7Zt2LmB9xKv4RpW8sNc3HdJ6yFg5AeUo1TiXwQzPrVbMkYhSn0CjGlDfE".chars().cycle().take(length).collect()
}

#[test]
fn credentials_of_every_kind_are_found() {
    let key = format!("{}\n{}", drawn(40), drawn(40));
    for (text, what) in [
        (format!("the key is AKIA{}", "Q7Z2LM9XK4RPW8SN"), "an AWS access key"),
        ("AKIAIOSFODNN7EXAMPLE".to_owned(), "an AWS access key"),
        (format!("use ghp_{} for it", drawn(36)), "a GitHub token"),
        (format!("github_pat_{}", drawn(40)), "a GitHub token"),
        (format!("glpat-{}", drawn(20)), "a GitLab token"),
        (format!("xoxb-123456789012-{}", drawn(24)), "a Slack token"),
        (format!("AIza{}", drawn(35)), "a Google API key"),
        (format!("ya29.{}", drawn(40)), "a Google token"),
        (format!("sk-{}", drawn(48)), "an API key"),
        (format!("sk-proj-{}", drawn(48)), "an API key"),
        (format!("sk-ant-api03-{}", drawn(90)), "an Anthropic API key"),
        (format!("npm_{}", drawn(36)), "an npm token"),
        (format!("hf_{}", drawn(34)), "a Hugging Face token"),
        (format!("eyJhbGciOiJIUzI1NiJ9.eyJzdWIiOiIxMjM0In0.{}", drawn(43)), "a JSON web token"),
        ("postgres://app:s3cr3t-word@db.internal/x".to_owned(), "a password in an address"),
        (format!("Authorization: Bearer {}", drawn(40)), "a token of an authorization header"),
        (format!("-----BEGIN RSA PRIVATE KEY-----\n{key}\n-----END"), "a private key"),
        (format!("-----BEGIN PRIVATE KEY-----\\n{}", drawn(64)), "a private key"),
        (format!("-----BEGIN OPENSSH PRIVATE KEY-----\n\n{key}"), "a private key"),
        (format!("-----BEGIN RSA PRIVATE KEY-----\nProc-Type: 4,ENCRYPTED\n\n{key}"), "a private key"),
        ("set password=hunter2 before the run".to_owned(), "a literal value for password"),
        ("TOKEN=Q7Z2LM9XK4RP".to_owned(), "a literal value for TOKEN"),
        ("DB_PASSWORD=swordfish".to_owned(), "a literal value for DB_PASSWORD"),
        ("the api-key: q7Zt2LmB9x, as ever".to_owned(), "a literal value for api-key"),
        (r#"{ "clientSecret": "correct-horse" }"#.to_owned(), "a literal value for clientSecret"),
        ("token := 'abcdef'".to_owned(), "a literal value for token"),
        ("https://h/?user=a&password=hunter2&x=1".to_owned(), "a literal value for password"),
    ] {
        assert_eq!(secrets(&text), [what], "{text}");
    }
}

#[test]
fn characters_that_do_not_show_and_wide_letters_hide_no_credential() {
    let token = format!("ghp_{}", drawn(36));
    for hidden in ['\u{200b}', '\u{ad}', '\u{2060}', '\u{feff}', '\u{fe0f}', '\u{e0041}'] {
        for at in [1, 4, 20] {
            let (head, tail) = token.split_at(at);
            let text = format!("é\nuse {head}{hidden}{tail} for it");
            let found = scan(&text);
            let places: Vec<_> = found.iter().map(|one| (one.line, one.column, one.what.as_str())).collect();
            assert_eq!(places, [(2, 5, "a GitHub token")], "{hidden:?} at {at}");
        }
    }
    let wide = |text: &str| -> String {
        text.chars().map(|c| char::from_u32(u32::from(c) + 0xfee0).unwrap()).collect()
    };
    assert_eq!(secrets(&format!("数 {}", wide(&token))), ["a GitHub token"]);
    assert_eq!(secrets(&format!("DB_PASSWORD{}", wide("=swordfish"))), ["a literal value for DB_PASSWORD"]);
    let key = format!("-----BEGIN PRI\u{200b}VATE KEY-----\n{}\n{}\n", drawn(40), drawn(40));
    assert_eq!(secrets(&key), ["a private key"]);
    for text in ["パスワード：required", "token: abc…", "naïve café ½ ™", "a\u{200b}b"] {
        assert_eq!(secrets(text), [""; 0], "{text}");
    }
}

#[test]
fn look_alikes_pass() {
    for text in [
        "e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855",
        "sha256:e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855",
        "commit fb7f7485a3c5c88d44c3b4e988d44c3b45476b53",
        "550e8400-e29b-41d4-a716-446655440000",
        "sha512-z4PhNX7vuL3xVChQ1m2AB9Yg5AULVxXcg/SpIdNs6c5H0NE8XYXysP+DGNKHfuwvY7kxvUdBeoGlODJ6+SfaPg==",
        "ssh-ed25519 AAAAC3NzaC1lZDI1NTE5AAAAIJ7w2 key of the machine",
        "-----BEGIN PUBLIC KEY-----\nMFkwEwYHKoZIzj0CAQYIKoZIzj0DAQcDQgAE\n",
        "-----BEGIN CERTIFICATE-----\nMIIDdzCCAl+gAwIBAgIEAgAAuTANBgkqhkiG\n",
        "the gate refuses a `-----BEGIN PRIVATE KEY-----` in a file",
        "ghp_xxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxx",
        "ghp_short",
        "sk-learn-based-classification-pipeline",
        "sk-your-api-key-goes-here-0000",
        "task-abcdefghijklmnopqrstuv",
        "password=<password>",
        "password=${DB_PASSWORD}",
        "password=$DB_PASSWORD",
        "password=OTHER_VARIABLE2",
        "password=***",
        "password=xxxxxxxx",
        "password=changeme",
        "connect(password=password)",
        "connect(password=self.password)",
        "token = get_token()",
        "token: required, and it expires",
        "A token: the smallest unit of a text",
        "the password: never write it down",
        "token=os.environ['TOKEN']",
        "TOKEN_FILE=/run/secrets/token",
        "tokenHash=e3b0c44298fc1c149afbf4c8996fb924",
        "secret: op://vault/item",
        "if password == other",
        "password: null",
        "postgres://app:${PASSWORD}@db/x",
        "postgres://app:<password>@db/x",
        "https://example.org:8080/a@b",
        "Bearer authentication-is-required-for-this",
        "max_tokens=4096",
        "std::string::String::from_utf8",
        "a=b",
        "",
    ] {
        assert_eq!(secrets(text), [""; 0], "{text}");
    }
}

#[test]
fn personal_data_is_named() {
    for (text, what) in [
        ("ask ada.lovelace+x@analytical.engine.uk", "an email address"),
        ("call +44 20 7946 0958", "a telephone number"),
        ("(415) 555-2671", "a telephone number"),
        ("tel. 030 1234567", "a telephone number"),
        ("078-05-1120", "a US social security number"),
        ("card 4111 1111 1111 1111", "a card number"),
        ("5500-0055-5555-5559", "a card number"),
        ("378282246310005", "a card number"),
        ("AB123456C", "a UK national insurance number"),
        ("12345678Z", "a Spanish identity number"),
        ("GB82WEST12345698765432", "a bank account number"),
    ] {
        assert_eq!(personal(text), [what], "{text}");
        assert_eq!(secrets(text), [""; 0], "{text}");
    }
    for text in [
        "a@example.org",
        "git@github.com:a/b.git",
        "1+a@users.noreply.github.com",
        "@param x",
        "4111 1111 1111 1112",
        "1796083200000",
        "2026-12-01T00:00:00",
        "2026-12-01 12:30:00.000",
        "192.168.100.200",
        "1.2.3",
        "000-12-3456",
        "12345678A",
        "GB82WEST12345698765433",
        "4111111111111111a",
    ] {
        assert_eq!(personal(text), [""; 0], "{text}");
    }
}

#[test]
fn what_is_found_has_a_place_and_is_never_shown() {
    let found = scan("one\n  password=hunter2\n");
    assert_eq!((found[0].line, found[0].column), (2, 12));
    assert!(!format!("{found:?}").contains("hunter2"));
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(1000))]
    #[test]
    fn no_text_is_too_odd(
        parts in prop::collection::vec(
            prop_oneof![
                "\\PC{0,12}", any::<String>(), "[0-9+() .-]{0,20}", "[A-Z0-9]{0,36}",
                prop::sample::select(vec![
                    "password", "=", ":", "://", "@", "eyJ", ".", "sk-", "AKIA", "\"", "'", "\u{e9}", "Bearer ",
                    "-----BEGIN ", "PRIVATE KEY-----", "\n", "\r\n", "…",
                ]).prop_map(str::to_owned),
            ],
            0..16,
        )
    ) {
        let text = parts.concat();
        for one in scan(&text) {
            let line = text.lines().nth(one.line - 1).unwrap();
            prop_assert!(line.is_char_boundary(one.column - 1));
        }
    }
}
