//! Which nodes of a graph lie on a cycle.

use std::collections::HashSet;

/// Where one node stands in the walk.
#[derive(Clone, Copy)]
struct Mark {
    /// In which turn it was met.
    turn: usize,
    /// The earliest turn that it leads back to.
    back_to: usize,
    is_open: bool,
}

/// The nodes from which an edge, or several, lead back to themselves. `next[n]` holds where the edges of `n` lead.
///
/// Tarjan's search for strongly connected components, with its stack kept by hand: a chain may be as long as the list.
pub(super) fn on_cycles(next: &[Vec<usize>]) -> HashSet<usize> {
    let mut found = HashSet::new();
    let mut marks: Vec<Option<Mark>> = vec![None; next.len()];
    let mut open: Vec<usize> = Vec::new();
    let mut turn = 0;
    for start in 0..next.len() {
        if marks[start].is_some() {
            continue;
        }
        let mut way: Vec<(usize, usize)> = vec![(start, 0)];
        while let Some(&mut (at, ref mut edge)) = way.last_mut() {
            let mark = *marks[at].get_or_insert_with(|| {
                turn += 1;
                open.push(at);
                Mark { turn, back_to: turn, is_open: true }
            });
            if let Some(&to) = next[at].get(*edge) {
                *edge += 1;
                match marks[to] {
                    None => way.push((to, 0)),
                    Some(other) if other.is_open => lower(&mut marks, at, other.turn),
                    Some(_) => {}
                }
                continue;
            }
            way.pop();
            if let Some(&(above, _)) = way.last() {
                lower(&mut marks, above, mark.back_to);
            }
            if mark.back_to == mark.turn {
                let first = open.iter().rposition(|&node| node == at).unwrap_or_default();
                let component = open.split_off(first);
                if component.len() > 1 || next[at].contains(&at) {
                    found.extend(component.iter().copied());
                }
                for node in component {
                    if let Some(mark) = &mut marks[node] {
                        mark.is_open = false;
                    }
                }
            }
        }
    }
    found
}

fn lower(marks: &mut [Option<Mark>], node: usize, turn: usize) {
    if let Some(mark) = &mut marks[node] {
        mark.back_to = mark.back_to.min(turn);
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    /// A cycle that joins another one was taken for no cycle.
    #[test]
    fn cycles_that_share_a_part_are_all_found() {
        assert_eq!(on_cycles(&[vec![2, 1], vec![0], vec![1], vec![0], vec![4]]), HashSet::from([0, 1, 2, 4]));
        let long: Vec<Vec<usize>> = (0..100_000).map(|n| vec![(n + 1) % 100_000]).collect();
        assert_eq!(on_cycles(&long).len(), 100_000);
    }

    proptest! {
        #[test]
        fn a_node_is_on_a_cycle_if_it_reaches_itself(
            next in prop::collection::vec(prop::collection::vec(0..7_usize, 0..4), 7)
        ) {
            let reaches_itself = |start: usize| {
                let (mut seen, mut open) = (HashSet::new(), next[start].clone());
                while let Some(at) = open.pop() {
                    if seen.insert(at) {
                        open.extend(&next[at]);
                    }
                }
                seen.contains(&start)
            };
            let expected: HashSet<usize> = (0..7).filter(|&node| reaches_itself(node)).collect();
            prop_assert_eq!(on_cycles(&next), expected);
        }
    }
}
