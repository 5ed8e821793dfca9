//! Durations as the command line gives them: a whole number of seconds, or a number with a unit such as `10m`.

use std::time::Duration;

/// Reads a duration: `90`, `90s`, `10m`, `2h`, `7d`. None for any other text.
pub fn parse(text: &str) -> Option<Duration> {
    let digits = text.bytes().take_while(u8::is_ascii_digit).count();
    let (number, unit) = text.split_at(digits);
    let seconds = match unit {
        "" | "s" => 1,
        "m" => 60,
        "h" => 60 * 60,
        "d" => 24 * 60 * 60,
        _ => return None,
    };
    number.parse::<u64>().ok()?.checked_mul(seconds).map(Duration::from_secs)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn seconds_or_a_unit() {
        for (text, seconds) in [("90", 90), ("90s", 90), ("10m", 600), ("2h", 7200), ("1d", 86_400), ("0", 0)]
        {
            assert_eq!(parse(text), Some(Duration::from_secs(seconds)), "{text}");
        }
        for text in
            ["", "m", "-1", "1.5h", "10 m", "10min", "٣", "99999999999999999999", "9999999999999999999d"]
        {
            assert_eq!(parse(text), None, "{text}");
        }
    }
}
