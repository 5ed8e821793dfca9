//! The files that a diff names, for `git apply` and `patch`.

/// The paths in a diff's headers, with and without their first part, since nothing says how many are cut off.
pub fn paths(diff: &str) -> Vec<String> {
    let mut paths = Vec::new();
    for line in diff.lines() {
        let header = ["+++ ", "--- ", "rename to ", "rename from ", "copy to ", "Index: ", "*** "]
            .into_iter()
            .find_map(|marker| line.strip_prefix(marker));
        let Some(path) = header else {
            continue;
        };
        // A tab begins the time that some tools add.
        let path = path.split('\t').next().unwrap_or_default().trim().trim_matches('"');
        if path.is_empty() || path == "/dev/null" {
            continue;
        }
        paths.push(path.to_owned());
        if let Some((_, rest)) = path.split_once('/') {
            paths.push(rest.to_owned());
        }
    }
    paths
}
