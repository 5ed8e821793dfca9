use crate::scratch::Scratch;
