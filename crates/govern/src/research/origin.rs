//! Where a source comes from: the site behind its address, and who answers for it.

/// Hosts that carry the work of many: there the first parts of the path say whose it is.
const CARRIERS: &[(&str, usize)] = &[
    ("arxiv.org", 2),
    ("bitbucket.org", 1),
    ("codeberg.org", 1),
    ("doi.org", 2),
    ("github.com", 1),
    ("gitlab.com", 1),
    ("medium.com", 1),
];

/// Hosts whose subdomains belong to different people.
const LANDLORDS: &[&str] =
    &["github.io", "gitlab.io", "netlify.app", "pages.dev", "readthedocs.io", "vercel.app"];

/// Second-level names under which a country registers.
const REGISTRIES: &[&str] = &["ac", "co", "com", "edu", "go", "gov", "net", "or", "org"];

/// Where a source comes from.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Origin {
    site: String,
    publisher: String,
}

impl Origin {
    /// The origin behind an address; none where it is no web address.
    pub(super) fn of(url: &str, publisher: &str) -> Option<Self> {
        let rest = url.strip_prefix("https://").or_else(|| url.strip_prefix("http://"))?;
        let end = rest.find(['/', '?', '#']).unwrap_or(rest.len());
        let (authority, path) = rest.split_at(end);
        let host = authority.rsplit('@').next()?.split(':').next()?.trim_end_matches('.').to_lowercase();
        let is_name = host.contains('.')
            && host.split('.').all(|label| !label.is_empty())
            && host.chars().all(|c| c.is_alphanumeric() || matches!(c, '.' | '-'));
        if !is_name {
            return None;
        }
        let publisher = publisher.split_whitespace().collect::<Vec<_>>().join(" ").to_lowercase();
        Some(Self { site: site(&host, path), publisher })
    }

    /// Whether neither the site nor whoever answers for it is the same.
    pub(super) fn is_independent_of(&self, other: &Self) -> bool {
        self.site != other.site && self.publisher != other.publisher
    }
}

fn site(host: &str, path: &str) -> String {
    let labels: Vec<&str> = host.split('.').collect();
    let last = |count: usize| labels[labels.len().saturating_sub(count)..].join(".");
    let pair = last(2);
    if let Some((carrier, depth)) = CARRIERS.iter().find(|(carrier, _)| *carrier == pair) {
        let owner: Vec<&str> = path.split('/').filter(|part| !part.is_empty()).take(*depth).collect();
        return format!("{carrier}/{}", owner.join("/").to_lowercase());
    }
    let is_country = labels.last().is_some_and(|label| label.len() == 2);
    let is_registry = labels.len() > 2 && is_country && REGISTRIES.contains(&labels[labels.len() - 2]);
    if is_registry || LANDLORDS.contains(&&*pair) { last(3) } else { pair }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn origin(url: &str) -> String {
        Origin::of(url, "x").unwrap().site
    }

    #[test]
    fn a_site_is_who_holds_the_name() {
        for (url, site) in [
            ("https://docs.example.org/a/b", "example.org"),
            ("http://user@WWW.Example.org:8080?x=/y", "example.org"),
            ("https://bbc.co.uk/x", "bbc.co.uk"),
            ("https://a.github.io/x", "a.github.io"),
            ("https://github.com/Rust-Lang/rust", "github.com/rust-lang"),
            ("https://arxiv.org/abs/2608.02011", "arxiv.org/abs/2608.02011"),
        ] {
            assert_eq!(origin(url), site, "{url}");
        }
    }

    #[test]
    fn what_is_no_web_address_has_no_origin() {
        for url in
            ["", "example.org", "file:///etc/passwd", "https://", "https://localhost/x", "https://a b.org"]
        {
            assert_eq!(Origin::of(url, "x"), None, "{url}");
        }
    }
}
