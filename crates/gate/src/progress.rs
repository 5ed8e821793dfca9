//! Telling somebody that long work goes on.

/// Hears of the steps of long work. The program draws them on a terminal; tests listen or don't.
pub trait Progress {
    /// A step begins.
    fn begin(&self, step: &str);
    /// The step that began last is over, with a word on how.
    fn end(&self, step: &str, how: &str);
}

/// Nobody listens.
pub struct Silent;

impl Progress for Silent {
    fn begin(&self, _: &str) {}
    fn end(&self, _: &str, _: &str) {}
}
