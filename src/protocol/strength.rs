//! Playing below full strength: `UCI_Elo`, `Skill Level`, and searches to a low depth.
//!
//! A level is a number of nodes per move and a random bonus for each root move, which is larger for beginners. With few
//! nodes the engine overlooks long lines and quiet threats, as people do.

use crate::eval::Knowledge;
use crate::search::{Degree, Limits};

pub(crate) const MIN_ELO: u32 = 500;
pub(crate) const MAX_ELO: u32 = 2800;
pub(crate) const DEFAULT_ELO: u32 = 1600;

/// Below this level the random bonus grows, and the nodes stay the same: every search completes at least one ply, so
/// fewer nodes would not make it weaker.
const BEGINNER: u32 = 1000;
/// Nodes per move for every 200 points from [`BEGINNER`], fitted to matches of neighboring levels. With the network of
/// generation 3 and 200 games per step the differences, from the lowest, were 171, 164, 222, 230, 188, 244, 215, 191
/// and 164 Elo, each with an error of about 50 (95 %). The guide to the options has those of a newer network.
const NODES: [u32; 10] = [80, 270, 530, 920, 1480, 2250, 3700, 6150, 9900, 16000];
const STEP: u32 = 200;
/// The maximum random bonus of a root move for every 100 points from [`MIN_ELO`] to [`BEGINNER`], in hundredths of a
/// minor piece.
const NOISE: [u16; 6] = [200, 130, 85, 50, 25, 6];
const NOISE_STEP: u32 = 100;

/// The highest `Skill Level`, which is full strength.
pub(crate) const MAX_SKILL: u32 = 20;

/// The level of a `Skill Level` below [`MAX_SKILL`], in Elo.
pub(crate) fn elo_of_skill(skill: u32) -> u32 {
    MIN_ELO + skill.min(MAX_SKILL) * (MAX_ELO - MIN_ELO) / MAX_SKILL
}

/// The value at the index `step`, or the last value if there are fewer.
fn at<T: Copy + Default>(values: &[T], step: u32) -> T {
    let value = values.get(step as usize).or(values.last());
    value.copied().unwrap_or_default()
}

/// The maximum random bonus of a root move at a level, in hundredths of a minor piece: enough to vary the moves, more
/// for beginners.
pub(crate) fn root_noise(elo: u32) -> u16 {
    let above = elo.clamp(MIN_ELO, BEGINNER) - MIN_ELO;
    let (step, rest) = (above / NOISE_STEP, above % NOISE_STEP);
    let [low, high] = [step, step + 1].map(|step| u32::from(at(&NOISE, step)));
    let noise = (low * (NOISE_STEP - rest) + high * rest) / NOISE_STEP;
    u16::try_from(noise).unwrap_or(u16::MAX)
}

/// Nodes per move at a level, interpolated geometrically.
fn nodes(elo: u32) -> u64 {
    let above = elo.clamp(BEGINNER, MAX_ELO) - BEGINNER;
    let (step, rest) = (above / STEP, f64::from(above % STEP) / f64::from(STEP));
    let [low, high] = [step, step + 1].map(|step| f64::from(at(&NODES, step)));
    (low * (high / low).powf(rest)).round() as u64
}

/// Adds the node limit of a level to the limits of a search.
pub(crate) fn weaken(limits: Limits, elo: u32) -> Limits {
    let most = nodes(elo);
    Limits { nodes: Some(limits.nodes.map_or(most, |nodes| nodes.min(most))), ..limits }
}

/// The maximum pruning of a search to a fixed depth. GUIs offer low depths as levels of play, but a search to depth
/// 5 with all pruning has fewer than 1,000 nodes on average; ElephantEye's has 28,000. With no pruning up to depth 5
/// and some above it, depth 5 would be stronger than depth 6. With these steps, in matches of 100 games, depth 7 was
/// stronger than 6 by 139 Elo [89, 195], depth 8 stronger than 7 by 52 [6, 101], and depth 10 stronger than 9 by 100
/// [56, 148].
pub(crate) fn pruning_to_depth(depth: u32) -> Degree {
    match depth {
        0..=7 => Degree::Small,
        8..=9 => Degree::Medium,
        _ => Degree::Large,
    }
}

/// Whether a search to a fixed depth has reductions. With `knowledge none` only searches above depth 7 have them: the
/// program gmchess plays with `knowledge none` at depth 5, and its levels are made for ElephantEye, which has no
/// reductions.
pub(crate) fn has_reductions(depth: u32, knowledge: Knowledge) -> bool {
    knowledge > Knowledge::None || depth > 7
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn higher_levels_have_more_nodes_or_less_noise() {
        assert_eq!(nodes(MIN_ELO), u64::from(NODES[0]));
        assert_eq!(nodes(MAX_ELO), u64::from(NODES[9]));
        assert_eq!((nodes(0), nodes(u32::MAX)), (nodes(MIN_ELO), nodes(MAX_ELO)));
        assert_eq!((root_noise(0), root_noise(3000)), (NOISE[0], NOISE[5]));
        for elo in (MIN_ELO..MAX_ELO).step_by(50) {
            let is_stronger = if elo < BEGINNER {
                root_noise(elo) > root_noise(elo + 50)
            } else {
                nodes(elo) < nodes(elo + 50)
            };
            assert!(is_stronger, "{elo}");
        }
    }

    #[test]
    fn skill_levels_span_the_levels() {
        assert_eq!(elo_of_skill(0), MIN_ELO);
        assert_eq!(elo_of_skill(MAX_SKILL), MAX_ELO);
        assert!((0..MAX_SKILL).all(|skill| elo_of_skill(skill) < elo_of_skill(skill + 1)));
    }

    #[test]
    fn low_depths_without_knowledge_have_no_reductions() {
        assert!(!has_reductions(5, Knowledge::None) && has_reductions(8, Knowledge::None));
        assert!(has_reductions(5, Knowledge::Small));
    }

    #[test]
    fn other_limits_are_kept() {
        let limits = Limits { depth: Some(3), nodes: Some(5), ..Limits::default() };
        assert_eq!(weaken(limits, 2000), limits);
        let weak = weaken(Limits::default(), 1000);
        assert_eq!(weak.nodes, Some(u64::from(NODES[0])));
    }
}
