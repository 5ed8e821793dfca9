use super::*;
use crate::fixture::Fixture;

const KINDS: [(&str, &[&str]); 5] = [
    ("ed25519", &["-t", "ed25519"]),
    ("p256", &["-t", "ecdsa", "-b", "256"]),
    ("p384", &["-t", "ecdsa", "-b", "384"]),
    ("p521", &["-t", "ecdsa", "-b", "521"]),
    ("rsa", &["-t", "rsa", "-b", "3072"]),
];

#[test]
fn agrees_with_ssh_keygen_for_every_kind_of_key() {
    let fixture = Fixture::new();
    for (name, kind) in KINDS {
        fixture.key_of(name, kind);
        let armor = fixture.sign(name, "chant-review", b"content\n");
        let signature = Signature::parse(&armor).unwrap();
        assert_eq!(*signature.key(), fixture.public_key(name));
        assert_eq!(signature.verify("chant-review", b"content\n"), Ok(()));
        let signers = format!("a {}\n", fixture.public(name));
        assert!(fixture.keygen_verifies(&signers, "a", "chant-review", &armor, b"content\n"));
        let listed = Fixture::keygen(&["-l", "-f", fixture.key(name).to_str().unwrap()], b"");
        let listed = String::from_utf8(listed.stdout).unwrap();
        assert_eq!(listed.split(' ').nth(1), Some(signature.key().fingerprint().as_str()));

        assert_eq!(signature.verify("chant-review", b"content"), Err(Fault::Wrong));
        let other = Fault::Namespace { found: "chant-review".into() };
        assert_eq!(signature.verify("git", b"content\n"), Err(other));
        for (namespace, message) in [("chant-review", &b"content"[..]), ("git", b"content\n")] {
            assert!(!fixture.keygen_verifies(&signers, "a", namespace, &armor, message));
        }
    }
}

#[test]
fn keys_that_cannot_be_checked_say_so() {
    let fixture = Fixture::new();
    fixture.key_of("weak", &["-t", "rsa", "-b", "1024"]);
    let signature = Signature::parse(&fixture.sign("weak", "git", b"x")).unwrap();
    assert!(matches!(signature.verify("git", b"x"), Err(Fault::Unsupported { .. })));
}

#[test]
fn a_signature_of_sha1_is_none() {
    let fixture = Fixture::new();
    fixture.key_of("rsa", &["-t", "rsa", "-b", "2048"]);
    let armor = fixture.sign("rsa", "git", b"x");
    let bytes = decode(&armor);
    let at = bytes.windows(12).position(|part| part == b"rsa-sha2-512").unwrap();
    let mut forged = bytes[..at - 4].to_vec();
    forged.extend(b"\0\0\0\x07ssh-rsa");
    forged.extend(&bytes[at + 12..]);
    assert!(Signature::parse(&encode(&forged)).is_err());
}

#[test]
fn line_ends_and_blanks_around_do_not_matter() {
    let fixture = Fixture::new();
    let armor = fixture.sign("a", "git", b"x");
    for text in [armor.replace('\n', "\r\n"), format!("\n{armor}\n\n"), armor.replacen('\n', "\n  ", 3)] {
        assert_eq!(Signature::parse(&text).unwrap().verify("git", b"x"), Ok(()));
    }
    let body: String = armor.lines().filter(|line| !line.starts_with('-')).collect();
    let one_line = format!("{BEGIN}\n{body}\n{END}");
    assert_eq!(Signature::parse(&one_line).unwrap().verify("git", b"x"), Ok(()));
}

#[test]
fn damaged_text_is_refused() {
    let fixture = Fixture::new();
    let armor = fixture.sign("a", "git", b"x");
    let bytes = decode(&armor);
    let mut texts = vec![
        String::new(),
        BEGIN.to_owned(),
        format!("{BEGIN}{END}"),
        format!("{BEGIN}\n{END}"),
        format!("{BEGIN}\n\0\n{END}"),
        format!("{BEGIN}\n{}\n{END}", "A".repeat(1 << 20)),
        format!("{BEGIN}\nÄÖ\n{END}"),
        armor.replace(END, ""),
        armor.replace("SSH", "PGP"),
        format!("{armor}\ntrailing"),
        format!("{armor}\n{armor}"),
        format!("leading {armor}"),
        encode(&[&bytes[..], b"\0"].concat()),
    ];
    texts.extend((0..bytes.len()).step_by(3).map(|end| encode(&bytes[..end])));
    for text in texts {
        assert!(Signature::parse(&text).is_err(), "{text:.200}");
    }
}

#[test]
fn no_changed_byte_is_overlooked() {
    let fixture = Fixture::new();
    let bytes = decode(&fixture.sign("a", "git", b"x"));
    for at in 0..bytes.len() {
        let mut forged = bytes.clone();
        forged[at] ^= 1;
        let passes = Signature::parse(&encode(&forged)).and_then(|signature| {
            // Under another key or namespace it is another signature, which no list has.
            if *signature.key() == fixture.public_key("a") {
                signature.verify("git", b"x")
            } else {
                Err(Fault::Wrong)
            }
        });
        assert!(passes.is_err(), "byte {at}");
    }
}

fn decode(armor: &str) -> Vec<u8> {
    const LETTERS: &[u8] = b"ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";
    let body: Vec<u8> = armor.lines().filter(|line| !line.starts_with('-')).flat_map(str::bytes).collect();
    let digits = body.iter().filter_map(|byte| LETTERS.iter().position(|letter| letter == byte));
    let bits: Vec<u8> =
        digits.flat_map(|digit| (0..6).rev().map(move |bit| u8::from(digit >> bit & 1 == 1))).collect();
    bits.chunks_exact(8).map(|byte| byte.iter().fold(0, |value, bit| value << 1 | bit)).collect()
}

fn encode(bytes: &[u8]) -> String {
    const LETTERS: &[u8] = b"ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";
    let mut body = String::new();
    for chunk in bytes.chunks(3) {
        let value = chunk
            .iter()
            .chain([0, 0].iter())
            .take(3)
            .fold(0_usize, |value, &byte| value << 8 | usize::from(byte));
        for digit in 0..4 {
            let letter = LETTERS[value >> (18 - 6 * digit) & 63];
            body.push(if digit <= chunk.len() { char::from(letter) } else { '=' });
        }
    }
    format!("{BEGIN}\n{body}\n{END}\n")
}

proptest::proptest! {
    #[test]
    fn no_text_is_too_odd(bytes: Vec<u8>, text: String) {
        let armored = encode(&bytes);
        proptest::prop_assert_eq!(decode(&armored), bytes);
        proptest::prop_assert!(Signature::parse(&armored).is_err());
        proptest::prop_assert!(Signature::parse(&text).is_err());
        let framed = format!("{BEGIN}{text}{END}");
        proptest::prop_assert!(Signature::parse(&framed).is_err());
    }
}
