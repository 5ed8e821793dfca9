//! Credentials that are known by their shape.

/// A shape of credentials.
#[derive(Debug)]
pub(super) struct Shape {
    /// What each begins with.
    starts: &'static [&'static str],
    /// What may follow.
    body: fn(u8) -> bool,
    /// How much of it does, at least.
    at_least: usize,
    what: &'static str,
}

const fn shape(
    starts: &'static [&'static str],
    body: fn(u8) -> bool,
    at_least: usize,
    what: &'static str,
) -> Shape {
    Shape { starts, body, at_least, what }
}

/// The more exact come first.
pub(super) const SHAPES: [Shape; 13] = [
    shape(&["AKIA", "ASIA"], is_upper, 16, "an AWS access key"),
    shape(&["ghp_", "gho_", "ghs_", "ghu_", "ghr_"], is_plain, 20, "a GitHub token"),
    shape(&["github_pat_"], is_word, 20, "a GitHub token"),
    shape(&["glpat-"], is_dashed, 20, "a GitLab token"),
    shape(&["sk-ant-"], is_dashed, 20, "an Anthropic API key"),
    shape(&["sk-"], is_dashed, 20, "an API key"),
    shape(&["sk_live_", "rk_live_"], is_plain, 16, "a Stripe key"),
    shape(&["ftn_"], is_plain, 16, "a Fountain API key"),
    shape(&["xoxa-", "xoxb-", "xoxp-", "xoxr-", "xoxs-", "xoxe-"], is_dashed, 10, "a Slack token"),
    shape(&["AIza"], is_dashed, 35, "a Google API key"),
    shape(&["npm_"], is_plain, 36, "an npm token"),
    shape(&["dop_v1_"], is_plain, 64, "a DigitalOcean token"),
    shape(&["hvs."], is_dashed, 24, "a Vault token"),
];

/// Shapes that no published catalogue of checks has.
pub(super) const MORE: [Shape; 14] = [
    shape(&["sk_test_", "rk_test_"], is_plain, 16, "a Stripe key"),
    shape(&["whsec_"], is_plain, 24, "a Stripe secret"),
    shape(&["xapp-"], is_dashed, 20, "a Slack token"),
    shape(&["ya29."], is_dashed, 20, "a Google token"),
    shape(&["GOCSPX-"], is_dashed, 20, "a Google client secret"),
    shape(&["hf_"], is_plain, 30, "a Hugging Face token"),
    shape(&["gsk_"], is_plain, 40, "a Groq API key"),
    shape(&["xai-"], is_plain, 40, "an xAI API key"),
    shape(&["pypi-AgE"], is_dashed, 50, "a PyPI token"),
    shape(&["rubygems_"], is_plain, 40, "a RubyGems key"),
    shape(&["shpat_", "shpss_"], is_plain, 32, "a Shopify token"),
    shape(&["dckr_pat_"], is_dashed, 20, "a Docker token"),
    shape(&["AGE-SECRET-KEY-1"], is_upper, 50, "an age key"),
    shape(&["SG."], is_dotted, 60, "a SendGrid key"),
];

fn is_dotted(byte: u8) -> bool {
    is_dashed(byte) || byte == b'.'
}

fn is_upper(byte: u8) -> bool {
    byte.is_ascii_uppercase() || byte.is_ascii_digit()
}

fn is_plain(byte: u8) -> bool {
    byte.is_ascii_alphanumeric()
}

pub(super) fn is_word(byte: u8) -> bool {
    byte.is_ascii_alphanumeric() || byte == b'_'
}

pub(super) fn is_dashed(byte: u8) -> bool {
    is_word(byte) || byte == b'-'
}

/// The first credential of a line, by the byte at which it begins and what it is.
pub fn find(line: &str) -> Option<(usize, &'static str)> {
    let shaped = SHAPES.iter().filter_map(|shape| Some((at(shape, line)?, shape.what)));
    // Of several at one place the more exact one counts.
    let first = shaped.min_by_key(|(at, _)| *at);
    first.or_else(|| private_key(line).map(|at| (at, "a private key")))
}

fn at(shape: &Shape, line: &str) -> Option<usize> {
    shape.places(line).into_iter().map(|(at, _)| at).min()
}

impl Shape {
    /// What it is.
    pub(super) fn what(&self) -> &'static str {
        self.what
    }

    /// Where a line has text of this shape: the byte at which it begins, and what follows the beginning.
    pub(super) fn places<'l>(&self, line: &'l str) -> Vec<(usize, &'l str)> {
        let bytes = line.as_bytes();
        let starts = self
            .starts
            .iter()
            .flat_map(|start| line.match_indices(start).map(move |(at, _)| (at, at + start.len())));
        let body = |body: usize| bytes[body..].iter().take_while(|byte| (self.body)(**byte)).count();
        starts
            .map(|(at, from)| (at, from, body(from)))
            .filter(|&(at, from, length)| {
                let stands_alone = at == 0 || !is_word(bytes[at - 1]);
                // An access key has exactly its length; what goes on is another word.
                let fits = if self.what == SHAPES[0].what {
                    length == self.at_least && bytes.get(from + length).is_none_or(|byte| !is_word(*byte))
                } else {
                    length >= self.at_least
                };
                stands_alone && fits
            })
            .map(|(at, from, length)| (at, &line[from..from + length]))
            .collect()
    }
}

/// The head of a private key in PEM.
fn private_key(line: &str) -> Option<usize> {
    let at = line.find("-----BEGIN ")?;
    let kind = line[at + "-----BEGIN ".len()..].split("-----").next()?;
    let is_kind = kind.bytes().all(|byte| byte.is_ascii_uppercase() || byte == b' ');
    (is_kind && (kind.ends_with("PRIVATE KEY"))).then_some(at)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn credentials_are_known_by_their_shape() {
        let body = |length: usize| "a1B2".repeat(20)[..length].to_owned();
        for (text, what) in [
            (format!("AKIA{}", "A1B2".repeat(4)), "an AWS access key"),
            (format!("ghp_{}", body(20)), "a GitHub token"),
            (format!("github_pat_{}", body(22)), "a GitHub token"),
            (format!("glpat-{}", body(20)), "a GitLab token"),
            (format!("sk-ant-{}", body(24)), "an Anthropic API key"),
            (format!("sk-{}", body(20)), "an API key"),
            (format!("sk_live_{}", body(16)), "a Stripe key"),
            (format!("ftn_{}", body(16)), "a Fountain API key"),
            (format!("xoxb-{}", body(10)), "a Slack token"),
            (format!("AIza{}", body(35)), "a Google API key"),
            (format!("npm_{}", body(36)), "an npm token"),
            (format!("dop_v1_{}", body(64)), "a DigitalOcean token"),
            (format!("hvs.{}", body(24)), "a Vault token"),
            ("-----BEGIN OPENSSH PRIVATE KEY-----".to_owned(), "a private key"),
        ] {
            assert_eq!(find(&format!("x = \"{text}\"")), Some((5, what)), "{text}");
            assert_eq!(find(&format!("x{text}")).filter(|_| !text.starts_with('-')), None, "{text}");
        }
        for text in
            ["AKIA", "ghp_short", "sk-short", "task-abcdefghijklmnopqrstuv", "-----BEGIN PUBLIC KEY-----"]
        {
            assert_eq!(find(text), None, "{text}");
        }
        assert_eq!(find(&format!("AKIA{}", "A".repeat(17))), None);
    }
}
