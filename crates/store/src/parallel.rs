//! The same work on many items, shared among threads.

use std::sync::Mutex;
use std::thread;

/// From this many items on, work is shared.
const MANY: usize = 64;

/// Each item through `act`, in the order of the items.
///
/// # Panics
/// Where `act` does.
pub fn each<T: Send, U: Send>(items: Vec<T>, act: impl Fn(T) -> U + Sync) -> Vec<U> {
    let threads = thread::available_parallelism().map_or(1, usize::from);
    if items.len() < MANY || threads < 2 {
        return items.into_iter().map(act).collect();
    }
    // Short pieces, since some items cost far more than others.
    let size = items.len().div_ceil(threads * 8);
    let mut pieces: Vec<(usize, Vec<T>)> = Vec::new();
    let mut items = items.into_iter();
    loop {
        let piece: Vec<T> = items.by_ref().take(size).collect();
        if piece.is_empty() {
            break;
        }
        pieces.push((pieces.len(), piece));
    }
    let open = Mutex::new(pieces);
    let done = Mutex::new(Vec::new());
    thread::scope(|scope| {
        for _ in 0..threads {
            scope.spawn(|| {
                loop {
                    let Some((n, piece)) = open.lock().ok().and_then(|mut open| open.pop()) else { break };
                    let results: Vec<U> = piece.into_iter().map(&act).collect();
                    if let Ok(mut done) = done.lock() {
                        done.push((n, results));
                    }
                }
            });
        }
    });
    let mut done = done.into_inner().unwrap_or_default();
    done.sort_by_key(|(n, _)| *n);
    done.into_iter().flat_map(|(_, results)| results).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn results_come_in_the_order_of_the_items() {
        for count in [0, 1, MANY - 1, MANY, 1000] {
            let items: Vec<usize> = (0..count).collect();
            let doubled: Vec<usize> = items.iter().map(|n| n * 2).collect();
            assert_eq!(each(items, |n| n * 2), doubled);
        }
    }

    #[test]
    #[should_panic(expected = "scoped thread panicked")]
    fn a_panic_is_not_swallowed() {
        each((0..1000).collect(), |n| assert!(n != 500));
    }
}
