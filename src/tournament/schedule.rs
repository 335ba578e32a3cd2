//! The schedule: pairings, colors and the order of games.

use std::cmp::Reverse;
use std::collections::{HashMap, HashSet};

use super::record::GameSummary;
use crate::board::{ByColor, Color, named_enum};

named_enum! {
    #[derive(Default)]
    pub enum TournamentFormat {
        /// Every engine plays every other engine.
        #[default]
        RoundRobin = "round-robin",
        /// The seeds (by default the first engine) play all others.
        Gauntlet = "gauntlet",
        /// In each round engines with about the same number of points play each other. They meet again only if no
        /// other pairing is found.
        Swiss = "swiss",
        /// The loser of a match leaves the tournament.
        Knockout = "knockout",
    }
}

named_enum! {
    #[derive(Default)]
    /// The colors of a pairing in the two games of an opening.
    pub enum ColorOrder {
        /// The first engine plays red in the first game and black in the second.
        #[default]
        Alternate = "alternate",
        /// The first engine plays black in the first game and red in the second.
        Reverse = "reverse",
        /// The first engine plays red in both games.
        FirstRed = "first-red",
        /// The first engine plays black in both games.
        FirstBlack = "first-black",
    }
}

impl ColorOrder {
    /// The order for `--noswap` (`is_fixed`) and `--reverse`.
    pub const fn new(is_fixed: bool, is_reversed: bool) -> Self {
        match (is_fixed, is_reversed) {
            (false, false) => Self::Alternate,
            (false, true) => Self::Reverse,
            (true, false) => Self::FirstRed,
            (true, true) => Self::FirstBlack,
        }
    }

    pub const fn is_fixed(self) -> bool {
        matches!(self, Self::FirstRed | Self::FirstBlack)
    }

    /// Whether the first engine of a pairing plays red. Colors that are not fixed change from each `turn` to the next.
    const fn is_first_red(self, turn: u64) -> bool {
        match self {
            Self::Alternate => turn.is_multiple_of(2),
            Self::Reverse => !turn.is_multiple_of(2),
            Self::FirstRed => true,
            Self::FirstBlack => false,
        }
    }
}

/// The games of a tournament, numbered from 0. Games 2n and 2n + 1 are a pair: the same engines play one opening twice,
/// by default with swapped colors ([`ColorOrder`]). With one game per pairing there are no pairs.
///
/// In a round robin and a gauntlet every pairing plays one opening in each round. In a Swiss tournament and a
/// knockout the pairings depend on the results: [`Self::advance`] adds them when all known games are played.
#[derive(Clone, Debug)]
pub struct Schedule {
    format: TournamentFormat,
    engines: usize,
    /// The pairings in order: in a round robin and a gauntlet those of one round, which every round repeats; in a
    /// knockout the matches of the known stages; in a Swiss tournament the known pairings of all rounds.
    pairings: Vec<[usize; 2]>,
    rounds: u64,
    pub colors: ColorOrder,
    /// Number of games of each pairing in a round: 2 or, only in a round robin or gauntlet, 1. With 1, unless the
    /// colors are fixed, each engine has red in about half of its games of a round, and the colors change from round to
    /// round.
    pub games_per_pairing: u64,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct ScheduledGame {
    /// Index of the game, from 0.
    pub number: u64,
    /// Round, from 0. In a knockout a round has one pair of games of each match of a stage.
    pub round: u64,
    /// Indexes of the engines that play red and black.
    pub players: ByColor<usize>,
}

impl Schedule {
    /// The games of `engines` engines. In a gauntlet the first `seeds` engines play all others, but not each
    /// other. In a knockout each match has `rounds` pairs.
    pub fn new(format: TournamentFormat, engines: usize, seeds: usize, rounds: u64) -> Self {
        let pairings = match format {
            TournamentFormat::RoundRobin => all_pairings(engines),
            TournamentFormat::Gauntlet => (0..seeds.min(engines))
                .flat_map(|a| (seeds..engines).map(move |b| [a, b]))
                .collect(),
            TournamentFormat::Swiss | TournamentFormat::Knockout => Vec::new(),
        };
        let mut schedule = Self {
            format,
            engines,
            pairings,
            rounds,
            colors: ColorOrder::default(),
            games_per_pairing: 2,
        };
        schedule.advance(&[]);
        schedule
    }

    /// The number of the pair to which a game belongs; `None` without pairs.
    pub fn pair(&self, number: u64) -> Option<u64> {
        (self.games_per_pairing == 2).then_some(number / 2)
    }

    fn depends_on_results(&self) -> bool {
        matches!(self.format, TournamentFormat::Swiss | TournamentFormat::Knockout)
    }

    pub fn total_games(&self) -> u64 {
        let pairs = match self.format {
            TournamentFormat::RoundRobin | TournamentFormat::Gauntlet => self.pairings.len(),
            TournamentFormat::Swiss => self.engines / 2,
            TournamentFormat::Knockout => self.engines.saturating_sub(1),
        };
        (pairs as u64).saturating_mul(self.games_per_pairing).saturating_mul(self.rounds)
    }

    /// Number of games whose players are known.
    pub fn known_games(&self) -> u64 {
        let known = self.games_per_pairing * self.pairings.len() as u64;
        match self.format {
            TournamentFormat::RoundRobin | TournamentFormat::Gauntlet => self.total_games(),
            TournamentFormat::Swiss => known,
            TournamentFormat::Knockout => known.saturating_mul(self.rounds),
        }
    }

    /// The game with an index, if it exists and its players are known.
    pub fn game(&self, number: u64) -> Option<ScheduledGame> {
        if number >= self.known_games() {
            return None;
        }
        let (round, index) = self.round_and_index(number / self.games_per_pairing);
        let [first, second] = self.pairings[index as usize];
        let turn = match self.games_per_pairing {
            1 => round + (first + second + 1) as u64,
            _ => number,
        };
        Some(ScheduledGame {
            number,
            round,
            players: if self.colors.is_first_red(turn) {
                ByColor::new(first, second)
            } else {
                ByColor::new(second, first)
            },
        })
    }

    /// The round of a game, from 0.
    pub fn round(&self, number: u64) -> u64 {
        self.round_and_index(number / self.games_per_pairing).0
    }

    /// The round of a pair, from 0, and the index of its pairing.
    fn round_and_index(&self, pair: u64) -> (u64, u64) {
        match self.format {
            TournamentFormat::RoundRobin | TournamentFormat::Gauntlet => {
                let count = self.pairings.len().max(1) as u64;
                (pair / count, pair % count)
            }
            TournamentFormat::Swiss => (pair / (self.engines / 2).max(1) as u64, pair),
            TournamentFormat::Knockout => {
                // The pairs, rounds and matches of the stages before that of the pair.
                let (mut pairs, mut rounds, mut matches) = (0_u64, 0_u64, 0);
                for count in stages(self.engines) {
                    let of_stage = count.saturating_mul(self.rounds);
                    if pair - pairs < of_stage {
                        let within = pair - pairs;
                        return (rounds + within / count, matches + within % count);
                    }
                    pairs += of_stage;
                    rounds += self.rounds;
                    matches += count;
                }
                (rounds, matches)
            }
        }
    }

    /// The pairings for which results are counted: those of a round, or all possible ones if the pairings depend on the
    /// results.
    pub fn pairings(&self) -> Vec<[usize; 2]> {
        if self.depends_on_results() { all_pairings(self.engines) } else { self.pairings.clone() }
    }

    /// Adds the pairings of the next Swiss round or knockout stage, which depend on the results of the known games.
    /// Returns `false` if the tournament has no more pairings, or if a known game has no result.
    pub fn advance(&mut self, games: &[GameSummary]) -> bool {
        let known = self.known_games();
        let played: HashSet<u64> = games.iter().map(|game| game.number).collect();
        if !self.depends_on_results()
            || known >= self.total_games()
            || (0..known).any(|number| !played.contains(&number))
        {
            return false;
        }
        let games: Vec<&GameSummary> = games.iter().filter(|game| game.number < known).collect();
        let added = match self.format {
            TournamentFormat::Swiss => self.swiss_round(&games),
            _ => knockout_matches(&self.survivors(&games)),
        };
        self.pairings.extend(added);
        true
    }

    /// The next round of a Swiss tournament. From the engine with the most points down, each engine plays the next
    /// one that it has not met, if the others can then still be paired. If no such pairing is found, two engines may
    /// meet again if their last meeting was in the first round, then also if it was in the second round, and so on.
    /// With an odd number of engines, the last one in the standings among those with the fewest byes gets a bye,
    /// which counts like a won pair.
    fn swiss_round(&self, games: &[&GameSummary]) -> Vec<[usize; 2]> {
        /// Half points for winning both games of a pair.
        const WON_PAIR: usize = 4;
        let rounds = self.pairings.len() / (self.engines / 2).max(1);
        let last_met: HashMap<[usize; 2], usize> = (self.pairings.iter().enumerate())
            .map(|(index, pair)| (sorted(*pair), index / (self.engines / 2)))
            .collect();
        let mut table: Vec<(usize, usize, usize)> = (0..self.engines)
            .map(|engine| {
                let plays = |pair: &&[usize; 2]| pair.contains(&engine);
                let byes = rounds - self.pairings.iter().filter(plays).count();
                let points = half_points(engine, games) + WON_PAIR * byes;
                (points, engine, byes)
            })
            .collect();
        table.sort_by_key(|(points, engine, _)| (Reverse(*points), *engine));
        if self.engines % 2 == 1 {
            let fewest = table.iter().map(|(.., byes)| *byes).min();
            if let Some(last) = table.iter().rposition(|(.., byes)| Some(*byes) == fewest) {
                table.remove(last);
            }
        }
        let order: Vec<usize> = table.into_iter().map(|(_, engine, _)| engine).collect();
        let pairings = (0..=rounds).find_map(|round| {
            let may_meet = |pair| last_met.get(&sorted(pair)).is_none_or(|last| *last < round);
            let (mut paired, mut steps) = (Vec::new(), MAX_PAIRING_STEPS);
            pair_up(&order, &may_meet, &mut paired, &mut steps).then_some(paired)
        });
        pairings.unwrap_or_default()
    }

    /// The winner of a knockout, if all its games are in `games`.
    pub fn knockout_winner(mut self, games: &[GameSummary]) -> Option<usize> {
        while self.advance(games) {}
        let is_over = games.len() as u64 == self.total_games();
        let games: Vec<&GameSummary> = games.iter().collect();
        match self.survivors(&games)[..] {
            [winner] if is_over && self.format == TournamentFormat::Knockout => Some(winner),
            _ => None,
        }
    }

    /// The engines of a knockout that have not lost a match, in the order of the command line. A tied match is won by
    /// the engine with more wins as black, then by the one that comes first.
    fn survivors(&self, games: &[&GameSummary]) -> Vec<usize> {
        let beaten: HashSet<usize> = (self.pairings.iter())
            .map(|pair| {
                let of_match: Vec<&GameSummary> = (games.iter().copied())
                    .filter(|game| sorted(game.players.0) == sorted(*pair))
                    .collect();
                let wins_as_black = |engine: usize| {
                    let is_win = |game: &&&GameSummary| {
                        game.players[Color::Black] == engine && game.half_points(engine) == 2
                    };
                    of_match.iter().filter(is_win).count()
                };
                let [first, second] = sorted(*pair);
                let result = |engine| (half_points(engine, &of_match), wins_as_black(engine));
                if result(first) >= result(second) { second } else { first }
            })
            .collect();
        (0..self.engines).filter(|engine| !beaten.contains(engine)).collect()
    }
}

/// Maximum number of opponents that the pairing of a Swiss round tries before more engines may meet again.
const MAX_PAIRING_STEPS: u32 = 100_000;

fn all_pairings(engines: usize) -> Vec<[usize; 2]> {
    (0..engines).flat_map(|a| (a + 1..engines).map(move |b| [a, b])).collect()
}

fn sorted([a, b]: [usize; 2]) -> [usize; 2] {
    [a.min(b), a.max(b)]
}

/// The half points that an engine scored in `games`, some of which may be between other engines.
fn half_points(engine: usize, games: &[&GameSummary]) -> usize {
    let own = games.iter().filter(|game| game.players.0.contains(&engine));
    own.map(|game| game.half_points(engine)).sum()
}

/// Pairs engines that may meet, beginning with the first one. Returns `false` if that is impossible, or after `steps`
/// opponents were tried.
fn pair_up(
    order: &[usize],
    may_meet: &impl Fn([usize; 2]) -> bool,
    paired: &mut Vec<[usize; 2]>,
    steps: &mut u32,
) -> bool {
    let Some((&first, rest)) = order.split_first() else {
        return true;
    };
    for (index, &second) in rest.iter().enumerate() {
        if *steps == 0 {
            return false;
        }
        *steps -= 1;
        if !may_meet([first, second]) {
            continue;
        }
        let others = [&rest[..index], &rest[index + 1..]].concat();
        paired.push([first, second]);
        if pair_up(&others, may_meet, paired, steps) {
            return true;
        }
        paired.pop();
    }
    false
}

/// The number of matches in each stage of a knockout.
fn stages(engines: usize) -> impl Iterator<Item = u64> {
    let next = |alive: usize| (alive > 1).then(|| alive - knockout_match_count(alive));
    std::iter::successors(Some(engines), move |alive| next(*alive))
        .take_while(|alive| *alive > 1)
        .map(|alive| knockout_match_count(alive) as u64)
}

/// The number of matches of a stage with `alive` engines. After the first stage a power of two is left, so that only
/// the first stage has byes.
fn knockout_match_count(alive: usize) -> usize {
    alive - alive.next_power_of_two() / 2
}

/// The matches of a stage. The first engines have a bye. Of the others, the first plays the last, and so on.
fn knockout_matches(alive: &[usize]) -> Vec<[usize; 2]> {
    let count = knockout_match_count(alive.len());
    let playing = &alive[alive.len() - 2 * count..];
    let pairs = playing[..count].iter().zip(playing[count..].iter().rev());
    pairs.map(|(first, last)| [*first, *last]).collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::notation::pgn::GameResult;
    use crate::tournament::EndReason;

    #[test]
    fn round_robin_pairs_all_engines_with_both_colors() {
        let schedule = Schedule::new(TournamentFormat::RoundRobin, 3, 1, 2);
        let all: Vec<_> = (0..).map_while(|n| schedule.game(n)).collect();
        assert_eq!(all.len() as u64, schedule.total_games());
        let players: Vec<_> = all.iter().map(|game| (game.round, game.players.0)).collect();
        let round = |n| [[0, 1], [1, 0], [0, 2], [2, 0], [1, 2], [2, 1]].map(|p| (n, p));
        assert_eq!(players, [round(0), round(1)].concat());
    }

    #[test]
    fn the_first_engine_plays_the_gauntlet() {
        let schedule = Schedule::new(TournamentFormat::Gauntlet, 3, 1, 1);
        let players: Vec<_> =
            (0..).map_while(|n| schedule.game(n)).map(|game| game.players.0).collect();
        assert_eq!(players, [[0, 1], [1, 0], [0, 2], [2, 0]]);
        let endless = Schedule::new(TournamentFormat::Gauntlet, 3, 1, u64::MAX);
        assert!(endless.game(u64::MAX - 1).is_some());
    }

    #[test]
    fn seeds_play_all_others_but_not_each_other() {
        let schedule = Schedule::new(TournamentFormat::Gauntlet, 4, 2, 1);
        assert_eq!(schedule.pairings(), [[0, 2], [0, 3], [1, 2], [1, 3]]);
        assert!(Schedule::new(TournamentFormat::Gauntlet, 2, 2, 1).pairings().is_empty());
    }

    #[test]
    fn color_orders_assign_colors() {
        for (is_fixed, is_reversed, players) in [
            (false, false, [[0, 1], [1, 0]]),
            (false, true, [[1, 0], [0, 1]]),
            (true, false, [[0, 1], [0, 1]]),
            (true, true, [[1, 0], [1, 0]]),
        ] {
            let colors = ColorOrder::new(is_fixed, is_reversed);
            let schedule = Schedule::new(TournamentFormat::RoundRobin, 2, 1, 1);
            let schedule = Schedule { colors, ..schedule };
            let actual = [0, 1].map(|n| schedule.game(n).unwrap().players.0);
            assert_eq!(actual, players, "{colors:?}");
        }
    }

    #[test]
    fn single_games_change_colors() {
        let players = |format, colors, rounds| -> Vec<(u64, [usize; 2])> {
            let schedule = Schedule::new(format, 4, 1, rounds);
            let schedule = Schedule { colors, games_per_pairing: 1, ..schedule };
            let games: Vec<_> = (0..).map_while(|n| schedule.game(n)).collect();
            assert_eq!(games.len() as u64, schedule.total_games());
            games.iter().map(|g| (g.round, g.players.0)).collect()
        };
        let first = [[0, 1], [2, 0], [0, 3], [1, 2], [3, 1], [2, 3]];
        let both = [first.map(|players| (0, players)), first.map(|[a, b]| (1, [b, a]))];
        use TournamentFormat::{Gauntlet, RoundRobin};
        assert_eq!(players(RoundRobin, ColorOrder::Alternate, 2), both.concat());
        let gauntlet = [(0, [1, 0]), (0, [0, 2]), (0, [3, 0])];
        assert_eq!(players(Gauntlet, ColorOrder::Reverse, 1), gauntlet);
        let fixed = [(0, [0, 1]), (0, [0, 2]), (0, [0, 3])];
        assert_eq!(players(Gauntlet, ColorOrder::FirstRed, 1), fixed);
    }

    fn summary(scheduled: ScheduledGame, result: GameResult) -> GameSummary {
        GameSummary {
            number: scheduled.number,
            players: scheduled.players,
            result,
            reason: EndReason::Checkmate,
            detail: String::new(),
            plies: 1,
        }
    }

    /// Plays all games of a tournament, each of which the engine with the lower index wins.
    fn played(mut schedule: Schedule) -> (Schedule, Vec<GameSummary>) {
        let mut games: Vec<GameSummary> = Vec::new();
        loop {
            for number in games.len() as u64..schedule.known_games() {
                let scheduled = schedule.game(number).unwrap();
                let ByColor([red, black]) = scheduled.players;
                let winner = if red < black { Color::Red } else { Color::Black };
                games.push(summary(scheduled, GameResult::win_of(winner)));
            }
            if !schedule.advance(&games) {
                break;
            }
        }
        assert_eq!(games.len() as u64, schedule.total_games());
        let rounds: Vec<u64> = games.iter().map(|game| schedule.round(game.number)).collect();
        assert!(rounds.is_sorted());
        (schedule, games)
    }

    #[test]
    fn swiss_rounds_pair_equal_engines_that_have_not_met() {
        for (engines, rounds) in [(2, 1), (4, 3), (5, 5), (6, 3), (8, 4), (9, 6), (16, 8)] {
            let (schedule, _) = played(Schedule::new(TournamentFormat::Swiss, engines, 1, rounds));
            let pairings = schedule.pairings;
            let distinct: HashSet<[usize; 2]> = pairings.iter().map(|pair| sorted(*pair)).collect();
            assert_eq!(distinct.len(), pairings.len(), "{engines} {rounds}");
            for round in pairings.chunks(engines / 2) {
                let players: HashSet<usize> = round.concat().into_iter().collect();
                assert_eq!(players.len(), engines / 2 * 2);
            }
            // No engine gets a second bye before all have had one.
            let games = |engine| pairings.iter().filter(|pair| pair.contains(&engine)).count();
            let counts: Vec<usize> = (0..engines).map(games).collect();
            assert!(counts.iter().max().unwrap() - counts.iter().min().unwrap() <= 1);
        }
        let (schedule, _) = played(Schedule::new(TournamentFormat::Swiss, 4, 1, 2));
        assert_eq!(schedule.pairings, [[0, 1], [2, 3], [0, 2], [1, 3]]);
        // More rounds than opponents.
        let (schedule, _) = played(Schedule::new(TournamentFormat::Swiss, 2, 1, 3));
        assert_eq!(schedule.pairings, [[0, 1]; 3]);
        // Engines do not meet again in the next round.
        for engines in [4, 6] {
            let (schedule, _) = played(Schedule::new(TournamentFormat::Swiss, engines, 1, 15));
            let rounds = schedule.pairings.chunks(engines / 2);
            let rounds = rounds.map(|round| round.iter().map(|pair| sorted(*pair)).collect());
            let rounds: Vec<HashSet<[usize; 2]>> = rounds.collect();
            let mut following = rounds.windows(2);
            assert!(following.all(|two| two[0].is_disjoint(&two[1])), "{rounds:?}");
        }
    }

    #[test]
    fn knockouts_have_one_winner() {
        for engines in 2..20 {
            for rounds in [1, 3] {
                let schedule = Schedule::new(TournamentFormat::Knockout, engines, 1, rounds);
                let (played, games) = played(schedule.clone());
                assert_eq!(played.pairings.len(), engines - 1);
                let mut counts = HashMap::new();
                for game in &games {
                    *counts.entry(sorted(game.players.0)).or_insert(0) += 1;
                }
                assert!(counts.into_values().all(|count| count == 2 * rounds));
                assert_eq!(schedule.clone().knockout_winner(&games), Some(0));
                // The final is not decided before its last game.
                assert_eq!(schedule.knockout_winner(&games[..games.len() - 1]), None);
            }
        }
        // Many rounds need no memory.
        let schedule = Schedule::new(TournamentFormat::Knockout, 4, 1, u64::MAX);
        assert_eq!(schedule.pairings, [[0, 3], [1, 2]]);
        let last = schedule.game(u64::MAX - 1).unwrap();
        assert!(sorted(last.players.0) == [1, 2] && schedule.known_games() == u64::MAX);
        let (schedule, _) = played(Schedule::new(TournamentFormat::Knockout, 6, 1, 1));
        assert_eq!(schedule.pairings, [[2, 5], [3, 4], [0, 3], [1, 2], [0, 1]]);
    }

    #[test]
    fn ties_are_broken_by_wins_as_black() {
        let mut schedule = Schedule::new(TournamentFormat::Knockout, 2, 1, 2);
        let game = |number: u64, result| summary(schedule.game(number).unwrap(), result);
        use GameResult::{BlackWins, Draw, RedWins};
        // Engine 1 is black in games 0 and 2.
        for (results, winner) in [
            ([Draw, Draw, Draw, Draw], 0),
            ([BlackWins, RedWins, Draw, Draw], 1),
            ([BlackWins, BlackWins, Draw, Draw], 0),
            ([BlackWins, Draw, RedWins, Draw], 1),
        ] {
            let games: Vec<GameSummary> = (0..).zip(results).map(|(n, r)| game(n, r)).collect();
            let games: Vec<&GameSummary> = games.iter().collect();
            assert_eq!(schedule.survivors(&games), [winner], "{results:?}");
        }
        assert!(!schedule.advance(&[]));
    }
}
