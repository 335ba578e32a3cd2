//! `chuhe selfplay`: games of the engine against itself.

use std::path::{Path, PathBuf};
use std::process::ExitCode;
use std::sync::Arc;
use std::time::Instant;

use super::common::{
    Context, Failure, NetworkArgument, ProgressMeter, exit_code, note, on_interrupt,
    require_extension, require_not_log, require_not_stdout,
};
use super::data::warn_of_damage;
use crate::text::counted;
use crate::training::{Interrupt, Opening, SelfPlayProgress, SelfPlayRun, SelfPlaySettings};

/// Play the engine against itself, to get games for training.
///
/// The games begin with random openings. They are appended to the file, with the scores of all moves that are not
/// random, until it has N games.
///
/// Ctrl-C finishes the running games and exits; a second Ctrl-C drops them. Several processes can play at the
/// same time, each with its own file and seed.
#[derive(Debug, clap::Args)]
pub struct Arguments {
    /// File of games (.chg). An existing file is continued.
    file: PathBuf,
    /// Number of games in the file at the end.
    #[arg(long, value_name = "N", default_value_t = 1000, value_parser = clap::value_parser!(u32).range(1..))]
    games: u32,
    /// Nodes per move, after which the current iteration is finished.
    #[arg(long, value_name = "N", default_value_t = 5000, value_parser = clap::value_parser!(u64).range(1..))]
    nodes: u64,
    /// Number of concurrent games.
    #[arg(long, value_name = "N", default_value_t = 1, value_parser = clap::value_parser!(u16).range(1..=1024))]
    threads: u16,
    /// Seed of the random openings: game number n of a seed is always the same.
    #[arg(long, value_name = "N", default_value_t = 0)]
    seed: u64,
    /// Maximum absolute score of an opening, in evaluation units (a minor piece is 450).
    #[arg(long, value_name = "UNITS", default_value_t = 200, value_parser = clap::value_parser!(u16).range(20..=2000))]
    opening_score: u16,
    /// Percentage of games with one random quiet move in the middlegame, which gets no score.
    #[arg(long, value_name = "PERCENT", default_value_t = 0, value_parser = clap::value_parser!(u8).range(..=100))]
    random_moves: u8,
    #[command(flatten)]
    network: NetworkArgument,
}

pub fn run(arguments: &Arguments) -> Result<ExitCode, Failure> {
    let settings = SelfPlaySettings {
        games: arguments.games,
        nodes: arguments.nodes,
        threads: usize::from(arguments.threads),
        hash: GAME_HASH,
        seed: arguments.seed,
        opening: Opening::Random,
        opening_score: arguments.opening_score,
        random_moves: arguments.random_moves,
        network: arguments.network.read()?,
    };
    require_not_stdout("FILE", &arguments.file)?;
    let run = open_games(&arguments.file, settings)?;
    let interrupt = Arc::new(Interrupt::default());
    let signal = interrupt.clone();
    on_interrupt(move || {
        let is_first = !signal.is_requested();
        signal.request();
        if is_first {
            note("finishing the running games; press Ctrl-C again to drop them");
        }
    })?;
    play_games(&arguments.file, run, arguments.games, &interrupt, || ())?;
    Ok(exit_code(interrupt.is_requested()))
}

/// Size of the hash table of each game, in MB.
pub const GAME_HASH: usize = 2;

/// Opens or creates a file of games and reports what it contains. The file must not be the log or have the extension of
/// another format.
pub fn open_games(file: &Path, settings: SelfPlaySettings) -> Result<SelfPlayRun, Failure> {
    require_extension(&file.display().to_string(), file, &["chg"])?;
    require_not_log(file)?;
    let run = SelfPlayRun::open(file, settings).context(file.display())?;
    warn_of_damage(file, run.damage);
    if run.present.games > 0 {
        let games = counted(run.present.games, "game");
        note(&format!("continuing after {games}"));
    }
    if run.missing() > 0 {
        let games = counted(run.missing(), "missing game");
        note(&format!("{games} before the last game of the file will be played first"));
    }
    Ok(run)
}

/// Plays the games that a file does not have yet and shows the progress. Calls `each` whenever games have been written.
pub fn play_games(
    file: &Path,
    run: SelfPlayRun,
    games: u32,
    interrupt: &Interrupt,
    each: impl Fn() + Sync,
) -> Result<(), Failure> {
    let (begun, present) = (Instant::now(), run.present);
    let meter = ProgressMeter::new("games");
    meter.begin(u64::from(games), present.games);
    let show = |now: SelfPlayProgress| {
        let seconds = begun.elapsed().as_secs_f64().max(0.001);
        let rate = (now.positions - present.positions) as f64 / seconds;
        let positions = format!(", {} positions, {rate:.0}/s", now.positions);
        meter.show(now.games, &positions);
        each();
    };
    let done = run.play(interrupt, show).context(file.display())?;
    meter.finish();
    let SelfPlayProgress { games, positions } = done;
    let (games, positions) = (counted(games, "game"), counted(positions, "position"));
    note(&format!("{games}, {positions}"));
    Ok(())
}
