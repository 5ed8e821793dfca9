use std::fs;
use std::path::Path;
use std::process::Command;

use super::*;

fn hex(text: &str) -> Vec<u8> {
    (0..text.len()).step_by(2).map(|at| u8::from_str_radix(&text[at..at + 2], 16).unwrap()).collect()
}

/// Test 2 of RFC 8032, section 7.1.
#[test]
fn the_published_vector() {
    let seed = hex("4ccd089b28ff96da9db6c346ec114e0f5b8a319f35aba624da8cf6ed4fb8a6fb");
    let public = hex("3d4017c3e843895a92b70aa74d1b7ebc9c982ccf2ec4968cc0cd55f12af4660c");
    let signature = hex("92a009a9f0d4cab8720e820b5f642540a2b27b5416503f8fb3762223ebdb69da\
         085ac1e43e15996e458f3613d0f11d8c387b2eaeb4302aeeb00d291612bb0c00");
    let key = SigningKey::from_seed(&seed.try_into().unwrap());
    assert_eq!(key.public(), VerifyingKey::from_bytes(&public.try_into().unwrap()).unwrap());
    assert_eq!(key.sign(&[0x72]), base64::encode(&signature));
    assert!(key.public().verifies(&[0x72], &key.sign(&[0x72])));
    assert!(!key.public().verifies(&[0x73], &key.sign(&[0x72])));
    assert!(!key.public().verifies(&[0x72], "AAAA"));
}

#[test]
fn a_key_survives_its_text() {
    let key = SigningKey::from_seed(&[7; 32]);
    let text = key.to_pem().unwrap();
    assert!(text.starts_with("-----BEGIN PRIVATE KEY-----\n"), "{text}");
    assert_eq!(SigningKey::from_pem(&text).unwrap().public(), key.public());
    assert_eq!(VerifyingKey::parse(&key.public().to_pem().unwrap()).unwrap(), key.public());
    let line = format!("{} comment\n", key.public().ssh());
    assert_eq!(VerifyingKey::parse(&line).unwrap(), key.public());
    assert_eq!(SigningKey::from_pem("nonsense").unwrap_err(), KeyFault::Private);
    assert_eq!(VerifyingKey::parse("nonsense").unwrap_err(), KeyFault::Public);
    assert_eq!(format!("{key:?}"), format!("SigningKey({})", key.public().id()));
}

fn openssl(folder: &Path, args: &[&str]) -> Option<String> {
    let output = Command::new("openssl").args(args).current_dir(folder).output().ok()?;
    assert!(output.status.success(), "{args:?}: {}", String::from_utf8_lossy(&output.stderr));
    Some(String::from_utf8(output.stdout).unwrap())
}

#[test]
fn openssl_and_ssh_agree() {
    let folder = tempfile::tempdir().unwrap();
    let path = |name: &str| folder.path().join(name);
    let Some(text) = openssl(folder.path(), &["genpkey", "-algorithm", "ed25519"]) else {
        eprintln!("skipped: no openssl here");
        return;
    };
    let key = SigningKey::from_pem(&text).unwrap();
    fs::write(path("ours.pem"), key.to_pem().unwrap()).unwrap();
    let public = openssl(folder.path(), &["pkey", "-in", "ours.pem", "-pubout"]).unwrap();
    assert_eq!(public, key.public().to_pem().unwrap());
    fs::write(path("public.pem"), public).unwrap();
    fs::write(path("message"), "what was signed").unwrap();
    fs::write(path("signature"), base64::decode(&key.sign(b"what was signed")).unwrap()).unwrap();
    let args = ["-rawin", "-pubin", "-inkey", "public.pem", "-in", "message", "-sigfile", "signature"];
    openssl(folder.path(), &[&["pkeyutl", "-verify"], &args[..]].concat());
    fs::write(path("key.pub"), format!("{}\n", key.public().ssh())).unwrap();
    if let Ok(output) =
        Command::new("ssh-keygen").args(["-lf", "key.pub"]).current_dir(folder.path()).output()
    {
        assert!(String::from_utf8_lossy(&output.stdout).contains(&key.public().id()));
    }
}
