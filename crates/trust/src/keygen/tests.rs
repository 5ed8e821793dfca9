use super::*;
use crate::fixture::Fixture;

#[test]
fn a_key_that_git_signs_with() {
    let fixture = Fixture::new();
    let ask = || SigningKey::from_git(&fixture.ask(), &fixture.env);
    assert!(matches!(ask(), Err(SignError::NoKey { format: None })));
    fixture.git(&["config", "user.signingkey", "~/keys/a"]);
    fixture.git(&["config", "gpg.format", "openpgp"]);
    assert!(matches!(ask(), Err(SignError::NoKey { format: Some(_) })));
    fixture.git(&["config", "gpg.format", "ssh"]);
    assert_eq!(ask().unwrap(), SigningKey::File(fixture.beside("keys/a")));
    fixture.git(&["config", "user.signingkey", "keys/a"]);
    assert_eq!(ask().unwrap(), SigningKey::File(fixture.root.join("keys/a")));
    for text in ["key::ssh-ed25519 AAAA", "ssh-ed25519 AAAA"] {
        fixture.git(&["config", "user.signingkey", text]);
        assert_eq!(ask().unwrap(), SigningKey::Agent("ssh-ed25519 AAAA".into()));
    }
}

#[test]
fn what_cannot_sign_says_why_and_asks_nobody() {
    let fixture = Fixture::new();
    let sign = |key: &SigningKey, env: &Env| sign(key, "git", b"x", env).unwrap_err();
    let missing = SigningKey::File(fixture.beside("none"));
    assert!(matches!(sign(&missing, &fixture.env), SignError::Refused { .. }));
    let path = fixture.beside("locked");
    Fixture::keygen(&["-q", "-N", "secret", "-t", "ed25519", "-f", path.to_str().unwrap()], b"");
    assert!(matches!(sign(&SigningKey::File(path), &fixture.env), SignError::Refused { .. }));
    let absent = SigningKey::Agent(fixture.public("a"));
    assert!(matches!(sign(&absent, &fixture.env), SignError::Refused { .. }));
    let nowhere: Env = [("PATH", fixture.beside("none"))].into_iter().collect();
    assert!(matches!(sign(&SigningKey::File(fixture.key("a")), &nowhere), SignError::NotInstalled));
}

#[test]
#[cfg(unix)]
fn an_agent_signs_for_a_public_key() {
    let fixture = Fixture::new();
    let socket = fixture.beside("agent");
    let mut agent =
        Command::new("ssh-agent").arg("-D").arg("-a").arg(&socket).stdout(Stdio::null()).spawn().unwrap();
    for _ in 0..100 {
        if socket.exists() {
            break;
        }
        thread::sleep(std::time::Duration::from_millis(20));
    }
    let mut env = fixture.env.clone();
    env.set("SSH_AUTH_SOCK", &socket);
    let added =
        Command::new("ssh-add").arg("-q").arg(fixture.key("a")).env("SSH_AUTH_SOCK", &socket).status();
    let made = sign(&SigningKey::Agent(fixture.public("a")), "git", b"x", &env);
    agent.kill().unwrap();
    agent.wait().unwrap();
    assert!(added.unwrap().success());
    assert_eq!(*made.unwrap().signature.key(), fixture.public_key("a"));
}
