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
    if items.len() < MANY {
        return items.into_iter().map(act).collect();
    }
    let mut places: Vec<(Option<T>, Option<U>)> = items.into_iter().map(|item| (Some(item), None)).collect();
    each_mut(&mut places, |(item, result)| *result = item.take().map(&act));
    places.into_iter().filter_map(|(_, result)| result).collect()
}

/// Each item changed by `act`, where it lies.
///
/// # Panics
/// Where `act` does.
pub fn each_mut<T: Send>(items: &mut [T], act: impl Fn(&mut T) + Sync) {
    let threads = thread::available_parallelism().map_or(1, usize::from);
    if items.len() < MANY || threads < 2 {
        return items.iter_mut().for_each(act);
    }
    // Short pieces, since some items cost far more than others.
    let pieces = Mutex::new(items.chunks_mut(items.len().div_ceil(threads * 8)));
    thread::scope(|scope| {
        for _ in 0..threads {
            scope.spawn(|| {
                while let Some(piece) = pieces.lock().ok().and_then(|mut pieces| pieces.next()) {
                    piece.iter_mut().for_each(&act);
                }
            });
        }
    });
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
