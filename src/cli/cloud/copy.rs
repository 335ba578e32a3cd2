//! `chuhe cloud copy`: copies known moves from another library over HTTP.

use std::collections::HashSet;
use std::path::PathBuf;
use std::time::{Duration, Instant};

use crossbeam_channel::{Receiver, RecvTimeoutError};
use serde_json::Value;

use super::remote::{ServerArguments, moves};
use crate::board::Position;
use crate::cli::common::{Context, Failure, Unread, interrupts, note, print_text, read_games};
use crate::cloud::Edge;
use crate::cloud::client::{Client, ClientError};
use crate::cloud::key::{Key, View};
use crate::cloud::score::{FINAL, value_after};
use crate::cloud::store::{Location, NewScore, Store, StoreError};
use crate::movegen::has_legal_move;

/// Copy the known moves of positions from another library with this API, over HTTP.
///
/// The positions are those of games or FEN lists. Positions that the library already knows are skipped, so the same
/// command continues after an interruption. The scores are written with an unknown depth, unless the library has a score.
#[derive(Debug, clap::Args)]
pub struct Arguments {
    /// Library file or database; created if missing.
    library: Location,
    /// Game records, or lists with one FEN or EPD per line.
    #[arg(required = true)]
    files: Vec<PathBuf>,
    #[command(flatten)]
    server: ServerArguments,
    /// Maximum number of requests per second.
    #[arg(long, value_name = "N", default_value_t = 2, value_parser = clap::value_parser!(u16).range(1..=1000))]
    rate: u16,
    /// Maximum number of plies per game.
    #[arg(long, value_name = "N", default_value_t = 40)]
    max_ply: usize,
}

/// Pause after `rate limit exceeded` or a failed request.
const PAUSE: Duration = Duration::from_secs(10);
/// Failed requests in a row before the command gives up.
const MAX_FAILURES: u32 = 5;

#[derive(Default)]
struct CopyCounts {
    skipped: usize,
    requests: usize,
    unknown: usize,
    written: usize,
}

pub fn run(arguments: &Arguments) -> Result<(), Failure> {
    let client = arguments.server.client()?;
    let store = Store::open_at(&arguments.library);
    let store = store.context(&arguments.library)?;
    let (positions, unread) = read_positions(&arguments.files, arguments.max_ply)?;
    let interrupts = interrupts()?;
    let mut pace = Pace {
        interval: Duration::from_secs(1) / u32::from(arguments.rate),
        next: Instant::now(),
        interrupts,
    };
    let mut counts = CopyCounts::default();
    let result = copy_all(&client, &store, &positions, &mut pace, &mut counts);
    let CopyCounts {
        skipped,
        requests,
        unknown,
        written,
    } = counts;
    print_text(&format!(
        "{} positions: {skipped} already in the library, {requests} requests, {unknown} unknown to the server; {written} moves written\n",
        positions.len()
    ))?;
    if result? {
        unread.finish("cloud copy")
    } else {
        Err(Failure::interrupted())
    }
}

/// The different positions of games and lists, in order, and what could not be read.
fn read_positions(files: &[PathBuf], plies: usize) -> Result<(Vec<Position>, Unread), Failure> {
    let (mut found, mut seen): (_, HashSet<Key>) = (Vec::new(), HashSet::new());
    let mut unread = Unread::default();
    for path in files {
        let games = read_games(path, |game| {
            let game = match game {
                Ok(game) => game,
                Err(reason) => {
                    unread.game(&Failure::new(path.display(), reason));
                    return Ok(());
                }
            };
            let line = game.main_line().line;
            let mut position = line.start;
            let mut moves = line.moves.into_iter().take(plies);
            loop {
                if has_legal_move(&position) && seen.insert(View::of(&position).key) {
                    found.push(position.clone());
                }
                let Some(m) = moves.next() else {
                    return Ok(());
                };
                position.make(m);
            }
        });
        if let Err(failure) = games.context(path.display()) {
            unread.file(failure, files.len())?;
        }
    }
    Ok((found, unread))
}

/// Copies the moves of positions. Returns `false` after Ctrl-C.
fn copy_all(
    client: &Client,
    store: &Store,
    positions: &[Position],
    pace: &mut Pace,
    counts: &mut CopyCounts,
) -> Result<bool, Failure> {
    let library = "the library";
    for position in positions {
        let key = View::of(position).key;
        if store
            .read(|snapshot| snapshot.contains(&key))
            .context(library)?
        {
            counts.skipped += 1;
            continue;
        }
        let mut failures = 0;
        let scores = loop {
            if !pace.wait() {
                return Ok(false);
            }
            counts.requests += 1;
            match request(client, position) {
                Ok(Some(scores)) => break scores,
                Ok(None) => {}
                Err(error @ ClientError::Transport(_)) if failures + 1 < MAX_FAILURES => {
                    note(&format!("{}: {error}", client.server()));
                    failures += 1;
                }
                Err(error) => return Err(Failure::new(client.server(), error)),
            }
            pace.next += PAUSE;
        };
        counts.unknown += usize::from(scores.is_empty());
        let written = store.write(move |batch| {
            let mut written = 0;
            for score in &scores {
                written += usize::from(batch.merge(score)?);
            }
            Ok::<_, StoreError>(written)
        });
        counts.written += written.context(library)?;
    }
    Ok(true)
}

/// Asks for the known moves of a position: an empty list if it is unknown, `None` if the rate limit is exceeded.
fn request(client: &Client, position: &Position) -> Result<Option<Vec<NewScore>>, ClientError> {
    let reply = client.ask("queryall", position, &[("json", "1")])?;
    let invalid = || ClientError::Reply(crate::text::excerpt(&reply));
    let json: Value = serde_json::from_str(&reply).map_err(|_| invalid())?;
    match json["status"].as_str() {
        Some("ok") => {}
        Some("unknown" | "checkmate" | "stalemate") => return Ok(Some(Vec::new())),
        Some("rate limit exceeded") => return Ok(None),
        _ => return Err(invalid()),
    }
    let view = View::of(position);
    let score = |row: super::remote::MoveRow| {
        let score = row.score.parse::<i32>().ok();
        let score = score.filter(|score| (-FINAL..=FINAL).contains(score))?;
        Some(NewScore {
            edge: Edge::of(position, &view, row.played),
            value: value_after(score),
            depth: 0,
            writer: "import".to_owned(),
        })
    };
    let moves = moves(&json, position).ok_or_else(invalid)?;
    Ok(Some(moves.into_iter().filter_map(score).collect()))
}

/// Limits the rate of requests.
struct Pace {
    interval: Duration,
    /// Time of the next request.
    next: Instant,
    interrupts: Receiver<()>,
}

impl Pace {
    /// Waits for the next request; returns `false` after Ctrl-C.
    fn wait(&mut self) -> bool {
        let now = Instant::now();
        let is_time = self.interrupts.recv_deadline(self.next.max(now));
        self.next = self.next.max(now) + self.interval;
        is_time == Err(RecvTimeoutError::Timeout)
    }
}
