//! Playing below full strength: `UCI_Elo`.
//!
//! A level is a number of nodes per move. With few nodes the engine overlooks long lines and quiet threats, as people
//! do.

use crate::search::Limits;

/// The lowest level.
pub(crate) const MIN_ELO: u32 = 1000;
/// The highest level.
pub(crate) const MAX_ELO: u32 = 2800;
/// The default level.
pub(crate) const DEFAULT_ELO: u32 = 1600;

/// Nodes per move for every 200 points from [`MIN_ELO`], fitted to matches of neighbouring levels. In 200 games
/// per step the differences, from the lowest, were 171, 164, 222, 230, 188, 244, 215, 191 and 164 Elo, each with an
/// error of about 50 (95 %). Fewer nodes than in the first level are no weaker: a search completes at least one ply.
const NODES: [u32; 10] = [80, 270, 530, 920, 1480, 2250, 3700, 6150, 9900, 16000];
const STEP: u32 = 200;

/// Nodes per move at a level, interpolated geometrically.
fn nodes(elo: u32) -> u64 {
    let above = elo.clamp(MIN_ELO, MAX_ELO) - MIN_ELO;
    let at = |step: u32| {
        let nodes = NODES.get(step as usize).or(NODES.last());
        f64::from(nodes.copied().unwrap_or(1))
    };
    let (step, rest) = (above / STEP, f64::from(above % STEP) / f64::from(STEP));
    let (low, high) = (at(step), at(step + 1));
    (low * (high / low).powf(rest)).round() as u64
}

/// The limits of a search at a level: its node limit in addition to those given.
pub(crate) fn weaken(limits: Limits, elo: u32) -> Limits {
    let most = nodes(elo);
    Limits {
        nodes: Some(limits.nodes.map_or(most, |nodes| nodes.min(most))),
        ..limits
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn higher_levels_have_more_nodes() {
        assert_eq!(nodes(MIN_ELO), u64::from(NODES[0]));
        assert_eq!(nodes(MAX_ELO), u64::from(NODES[9]));
        assert_eq!(
            (nodes(0), nodes(u32::MAX)),
            (nodes(MIN_ELO), nodes(MAX_ELO))
        );
        for elo in (MIN_ELO..MAX_ELO).step_by(50) {
            assert!(nodes(elo) < nodes(elo + 50), "{elo}");
        }
    }

    #[test]
    fn other_limits_are_kept() {
        let limits = Limits {
            depth: Some(3),
            nodes: Some(5),
            ..Limits::default()
        };
        assert_eq!(weaken(limits, 2000), limits);
        let weak = weaken(Limits::default(), 1000);
        assert_eq!(weak.nodes, Some(u64::from(NODES[0])));
    }
}
