//! Why a run of the vectors, or a check of an attestation, was refused.

gate::reason_codes! {
    CORPUS_DAMAGED = "corpus-damaged", "A file of vectors is not one.";
    VECTOR_CHANGED = "vector-changed", "A published vector is no longer what it was.";
    UNKNOWN_FAMILY = "unknown-family", "No file of vectors has this name.";
    NO_SUBJECT = "no-subject", "The implementation can't be started.";
    HANDSHAKE = "handshake", "The implementation does not say what it can do.";
    NO_CONTROL = "no-control", "The implementation can't run with its gates switched off.";
    ATTESTATION_DAMAGED = "attestation-damaged", "The file is no attestation.";
    ATTESTATION_FORGED = "attestation-forged", "The signature is not one over this content, or by another key.";
    OTHER_CORPUS = "other-corpus", "The attestation is about other vectors.";
    NOT_SIGNED = "not-signed", "Nothing was signed.";
}
