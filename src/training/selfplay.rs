//! Games of the engine against itself, from random openings, a fixed number of nodes a move.

use std::io::{self, Write};
use std::sync::Mutex;
use std::sync::atomic::{AtomicU64, Ordering};

use rand::rngs::StdRng;
use rand::{Rng, SeedableRng};

use super::sample::Sample;
use crate::board::{Color, Move, Position};
use crate::random;
use crate::rules::{self, Game, RuleSet, Verdict};
use crate::search::{Limits, Outcome, Score, Searcher};

/// Games longer than this many plies are drawn.
const LONGEST_GAME: usize = 400;
/// A side this far ahead for some plies has won, in units of the evaluation.
const WON: i32 = 2200;
/// Plies for which a game must look won.
const WON_PLIES: u32 = 6;
/// Openings that a short search finds further from equal than this are not played.
const FAIR: i32 = 500;

/// How to play.
#[derive(Clone, Copy, Debug)]
pub struct SelfPlay {
    /// Games to play.
    pub games: u64,
    /// Nodes a move.
    pub nodes: u64,
    /// Games at a time.
    pub threads: usize,
    /// Hash table of each game, in MB.
    pub hash: usize,
    /// Where the random openings start from.
    pub seed: u64,
}

/// Why self-play stopped.
#[derive(Debug, thiserror::Error)]
pub enum SelfPlayError {
    /// The samples could not be written.
    #[error("cannot write samples: {0}")]
    Write(#[from] io::Error),
}

/// Plays games and writes a sample a line, telling `progress` of games and samples so far.
///
/// # Errors
/// When the samples cannot be written.
pub fn play_games(
    plan: &SelfPlay,
    out: &mut (impl Write + Send),
    progress: impl Fn(u64, u64) + Sync,
) -> Result<(), SelfPlayError> {
    let started = AtomicU64::new(0);
    let written = Mutex::new((out, 0u64, 0u64, None));
    std::thread::scope(|scope| {
        for _ in 0..plan.threads.max(1) {
            scope.spawn(|| {
                let mut player = Player::new(plan);
                loop {
                    let number = started.fetch_add(1, Ordering::Relaxed);
                    if number >= plan.games {
                        return;
                    }
                    let samples = player.game(plan.seed.wrapping_add(number));
                    let mut guard = written.lock().unwrap_or_else(|e| e.into_inner());
                    let (out, games, count, error) = &mut *guard;
                    if error.is_some() {
                        return;
                    }
                    for sample in &samples {
                        if let Err(fault) = writeln!(out, "{sample}") {
                            *error = Some(fault);
                            return;
                        }
                    }
                    *games += 1;
                    *count += samples.len() as u64;
                    progress(*games, *count);
                }
            });
        }
    });
    let (out, _, _, error) = written.into_inner().unwrap_or_else(|e| e.into_inner());
    if let Some(error) = error {
        return Err(error.into());
    }
    out.flush()?;
    Ok(())
}

/// One engine that plays both sides.
struct Player {
    searcher: Searcher,
    nodes: u64,
}

impl Player {
    fn new(plan: &SelfPlay) -> Self {
        Self {
            searcher: Searcher::new(plan.hash),
            nodes: plan.nodes,
        }
    }

    fn think(&self, game: &Game, nodes: u64) -> Option<Outcome> {
        let limits = Limits {
            nodes: Some(nodes),
            ..Limits::default()
        };
        self.searcher.think(game, limits)
    }

    /// Plays one game and returns its quiet positions.
    fn game(&mut self, seed: u64) -> Vec<Sample> {
        let mut rng = StdRng::seed_from_u64(seed);
        self.searcher.forget();
        let Some(mut game) = self.opening(&mut rng) else {
            return Vec::new();
        };
        let mut samples = Vec::new();
        let mut won_for = 0u32;
        let result = loop {
            if let Some(result) = judged(&game) {
                break result;
            }
            let Some(outcome) = self.think(&game, self.nodes) else {
                break 0.5;
            };
            let (Some(best), Some(score)) = (outcome.best, outcome.score) else {
                break win_for(!game.position().side_to_move());
            };
            let side = game.position().side_to_move();
            won_for = if score.units().abs() > WON {
                won_for + 1
            } else {
                0
            };
            if won_for >= WON_PLIES || score.is_decisive() {
                break win_for(if score > Score::ZERO { side } else { !side });
            }
            if is_quiet(&game, best, score) {
                let position = game.position().clone();
                samples.push(Sample {
                    position,
                    score: score.units() * side.sign(),
                    result: 0.5,
                });
            }
            if game.plies().len() >= LONGEST_GAME || game.push(best).is_err() {
                break 0.5;
            }
        };
        samples.iter_mut().for_each(|sample| sample.result = result);
        samples
    }

    /// Some random moves, until they lead to a fair position.
    fn opening(&self, rng: &mut StdRng) -> Option<Game> {
        for _ in 0..100 {
            let plies = rng.random_range(4..=11);
            let game = random::game(rng, Position::startpos(), plies);
            let score = self.think(&game, 2 * self.nodes)?.score;
            if score.is_some_and(|s| s.units().abs() <= FAIR) {
                return Some(game);
            }
        }
        None
    }
}

fn win_for(color: Color) -> f64 {
    match color {
        Color::Red => 1.0,
        Color::Black => 0.0,
    }
}

/// The result for red when the rules have ended the game.
fn judged(game: &Game) -> Option<f64> {
    match rules::judge(game, RuleSet::Asian).verdict {
        Verdict::Undecided => None,
        Verdict::Draw => Some(0.5),
        Verdict::RedLoses => Some(0.0),
        Verdict::BlackLoses => Some(1.0),
    }
}

/// Whether the static evaluation can be held to the result: nothing hangs in the air.
fn is_quiet(game: &Game, best: Move, score: Score) -> bool {
    let position = game.position();
    !position.in_check() && position.piece_on(best.to()).is_none() && score.units().abs() < WON
}
