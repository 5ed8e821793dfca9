//! Files that git holds as a pointer, and that Git LFS puts in their place.
//!
//! The filter that does it is a program of the user's choice, so its word is not taken: the pointer names the content
//! by its SHA-256, and that can be checked.

use std::fs::File;

use canon::Sha256;

use super::listing::{Listed, State, records};
use super::overlay::push;
use super::{Disk, GitError, Impartial, Oid, RepoPath};

/// No pointer is longer.
const LONGEST: usize = 1024;

/// The tracked files whose content on disk is the one that their pointer names, each ended by a NUL.
pub(super) fn unchanged(impartial: &Impartial, listing: &[Listed]) -> Result<Vec<u8>, GitError> {
    let mut unchanged = Vec::new();
    if !impartial.machine.lfs {
        return Ok(unchanged);
    }
    let stored = stored(impartial, listing)?;
    let mut disk = Disk::new(impartial.git.dir());
    for ((path, _), pointer) in stored.iter().zip(pointers(impartial, &stored)?) {
        let Some((size, sha256)) = pointer else { continue };
        let Some((file, metadata)) = disk.find(path)? else { continue };
        if metadata.is_file()
            && metadata.len() == size
            && File::open(&file).and_then(Sha256::of_reader).is_ok_and(|(found, _)| found == sha256)
        {
            push(&mut unchanged, path);
        }
    }
    Ok(unchanged)
}

/// The regular files of the index that `filter=lfs` is for.
fn stored<'a>(
    impartial: &Impartial,
    listing: &'a [Listed],
) -> Result<Vec<(&'a RepoPath, &'a Oid)>, GitError> {
    let tracked = listing.iter().filter_map(|listed| match &listed.state {
        State::Tracked { mode: 0o100_644 | 0o100_755, oid, stage: 0, .. } => Some((&listed.path, oid)),
        _ => None,
    });
    let tracked: Vec<_> = tracked.collect();
    let mut names = Vec::new();
    for (path, _) in &tracked {
        push(&mut names, path);
    }
    let call = impartial.git.call(["check-attr", "-z", "--stdin", "filter"]).input(&names);
    let (_, output) = call.answer()?;
    // Three records for each path: path, attribute, value.
    let fields: Vec<&[u8]> = records(&output).collect();
    if fields.len() != 3 * tracked.len() {
        return Err(call.malformed("not one attribute for each path"));
    }
    let filters = fields.chunks_exact(3).map(|of| of[2]);
    Ok(tracked
        .into_iter()
        .zip(filters)
        .filter(|(_, filter)| *filter == b"lfs")
        .map(|(file, _)| file)
        .collect())
}

/// The size and digest that each blob names; none for one that is no pointer.
fn pointers(
    impartial: &Impartial,
    stored: &[(&RepoPath, &Oid)],
) -> Result<Vec<Option<(u64, Sha256)>>, GitError> {
    if stored.is_empty() {
        return Ok(Vec::new());
    }
    let names: Vec<u8> = stored.iter().flat_map(|(_, oid)| format!("{oid}\n").into_bytes()).collect();
    let call = impartial.git.call(["cat-file", "--batch"]).input(&names);
    let (_, output) = call.answer()?;
    let (mut rest, mut found) = (&output[..], Vec::new());
    for _ in stored {
        // `<oid> SP <type> SP <size> LF <content> LF`, or `<oid> SP missing LF`.
        let end = rest.iter().position(|&byte| byte == b'\n');
        let end = end.ok_or_else(|| call.malformed("an object without a header"))?;
        let header = String::from_utf8_lossy(&rest[..end]).into_owned();
        rest = &rest[end + 1..];
        if header.ends_with(" missing") {
            found.push(None);
            continue;
        }
        let size = header.rsplit(' ').next().and_then(|size| size.parse::<usize>().ok());
        let size = size.filter(|&size| size < rest.len());
        let size = size.ok_or_else(|| call.malformed("an object that is cut off"))?;
        found.push(pointer(&rest[..size]));
        rest = &rest[size + 1..];
    }
    Ok(found)
}

fn pointer(blob: &[u8]) -> Option<(u64, Sha256)> {
    if blob.len() > LONGEST {
        return None;
    }
    let text = std::str::from_utf8(blob).ok()?;
    let text = text.strip_prefix("version https://git-lfs.github.com/spec/v1\noid sha256:")?;
    let (sha256, size) = text.split_once("\nsize ")?;
    Some((size.strip_suffix('\n')?.parse().ok()?, sha256.parse().ok()?))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_pointer_and_nothing_like_it() {
        let text = |sha256: &str, size: &str| {
            format!("version https://git-lfs.github.com/spec/v1\noid sha256:{sha256}\nsize {size}\n")
        };
        let sha256 = Sha256::of("x");
        assert_eq!(pointer(text(&sha256.to_string(), "1").as_bytes()), Some((1, sha256)));
        for other in [
            text("00", "1"),
            text(&sha256.to_string(), "-1"),
            text(&sha256.to_string(), "1\nx"),
            String::new(),
        ] {
            assert_eq!(pointer(other.as_bytes()), None, "{other}");
        }
    }
}
