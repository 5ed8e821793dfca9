use serde_json::json;

use super::*;

const KIND: &str = "https://example.org/kind/v1";

fn key(seed: u8) -> SigningKey {
    SigningKey::from_seed(&[seed; 32])
}

/// The example of the DSSE specification.
#[test]
fn the_published_encoding() {
    let encoded = pae("http://example.com/HelloWorld", b"hello world");
    assert_eq!(encoded, b"DSSEv1 29 http://example.com/HelloWorld 11 hello world");
    assert_eq!(pae("", b""), b"DSSEv1 0  0 ");
    assert_eq!(pae("é", "ß".as_bytes()), "DSSEv1 2 é 2 ß".as_bytes());
}

#[test]
fn a_statement_comes_back_as_it_was_signed() {
    let statement = Statement::about("log", Sha256::of("x"), KIND, json!({ "n": 1 }));
    let envelope = statement.sign(&key(1)).unwrap();
    let keys = [key(2).public(), key(1).public()];
    let (found, by) = Statement::<Value>::open(&envelope, KIND, &keys).unwrap();
    assert_eq!((found, by), (statement, &keys[1]));
    let text = serde_json::to_string(&envelope).unwrap();
    assert!(text.contains(r#""payloadType":"application/vnd.in-toto+json""#), "{text}");
    let payload = String::from_utf8(envelope.open(&keys).unwrap().0).unwrap();
    assert!(
        payload.starts_with(r#"{"_type":"https://in-toto.io/Statement/v1","predicate":{"n":1}"#),
        "{payload}"
    );
}

#[test]
fn what_is_wrong_with_an_envelope_is_said_in_order() {
    let statement = Statement::about("log", Sha256::of("x"), KIND, json!({}));
    let good = statement.sign(&key(1)).unwrap();
    let keys = [key(1).public()];
    let fault = |envelope: &Envelope, kind| Statement::<Value>::open(envelope, kind, &keys).unwrap_err();
    assert_eq!(fault(&good, "other"), EnvelopeFault::Statement);
    let mut other = good.clone();
    other.payload.insert(0, ' ');
    assert_eq!(fault(&other, KIND), EnvelopeFault::Malformed);
    other = good.clone();
    other.signatures.clear();
    assert_eq!(fault(&other, KIND), EnvelopeFault::Malformed);
    other = good.clone();
    other.payload_type = "text/plain".to_owned();
    assert_eq!(fault(&other, KIND), EnvelopeFault::Untrusted);
    assert_eq!(fault(&Envelope::sign("text/plain", b"{}", &key(1)), KIND), EnvelopeFault::PayloadType);
    assert_eq!(fault(&Envelope::sign(PAYLOAD_TYPE, b"{}", &key(1)), KIND), EnvelopeFault::Statement);
    assert_eq!(fault(&statement.sign(&key(2)).unwrap(), KIND), EnvelopeFault::Untrusted);
    // The name of a key is a hint and no proof.
    other = good.clone();
    other.signatures[0].keyid = key(2).public().id();
    assert!(Statement::<Value>::open(&other, KIND, &keys).is_ok());
}
