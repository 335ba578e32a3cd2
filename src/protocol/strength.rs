//! Playing below full strength: `UCI_Elo`.
//!
//! A weak player sees less far. A level is a number of nodes a move: with few of them the engine
//! overlooks long lines and quiet threats, as people do, and plays the same move in the same position
//! instead of throwing in blunders at random.

use crate::search::Limits;

/// The lowest level.
pub(crate) const MIN_ELO: u32 = 1000;
/// The highest level.
pub(crate) const MAX_ELO: u32 = 2800;
/// The level before another one is set.
pub(crate) const DEFAULT_ELO: u32 = 1600;

/// Nodes a move at every 200 points from [`MIN_ELO`] on, fitted to matches of neighbouring levels. In 200
/// games a step, the steps of this table, the lowest first, were 171, 164, 222, 230, 188, 244, 215, 191 and
/// 164 Elo, each with an error of about 50 (95 %).
/// Fewer than those of the first level are no weaker: a search looks at one ply at least.
const NODES: [u32; 10] = [80, 270, 530, 920, 1480, 2250, 3700, 6150, 9900, 16000];
const STEP: u32 = 200;

/// Nodes a move at this level: between the steps of the table in equal ratios.
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

/// The limits of a search at this level: those given, and no more nodes than the level has.
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
    fn every_point_counts() {
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
    fn other_limits_hold() {
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
