//! `chuhe solve`: the solution of a composition, and the check of a solution.

mod text;

use std::path::{Path, PathBuf};
use std::process::ExitCode;
use std::sync::Arc;
use std::thread;
use std::time::{Duration, Instant};

use crossbeam_channel::Receiver;
use indicatif::ProgressBar;
use serde::{Deserialize, Serialize};
use serde_json::json;

use super::common::{
    Context, Failure, ForceArgument, GameArguments, INTERRUPTED, OutputFile, RulesArgument,
    SearchPlan, SearchThreads, TablebaseArguments, create_outputs, describe_end, exit_code,
    interrupts, note, open_input, print, print_text, register_bar, report_damaged_tablebases,
    require_no_notation, require_not_stdout, translated,
};
use crate::board::{ByColor, Color, InvalidPosition, Move, Position, Setup};
use crate::compositions::{
    Candidates, KnownMate, MatingMove, Reply, RulesAndTables, Solution, SolveError, Solver, hold,
    verify_solution, verify_strategy,
};
use crate::notation::tree::GameTree;
use crate::notation::{MoveStyle, fen};
use crate::rules::{Game, RuleSet, counted_plies};
use crate::search::{
    Control, Limits, MAX_HASH, MAX_THREADS, Outcome, Report, SearchRequest, SearchResult, Searcher,
    StartError, spawn_search_thread,
};
use crate::tablebase::Tables;
use crate::text::{counted, read_all};
use text::{describe, describe_draw, describe_win, diagrams, game_tree, length};

const MAX_FILE_MB: u64 = 256;
/// The longest mate that `--win` and `--mate` look for, in moves.
const MAX_MOVES: u32 = 64;
/// Maximum nesting of a solution as JSON: three levels for each move, and those around the tree.
const MAX_NESTING: usize = 3 * (MAX_MOVES as usize + 1);
/// Nodes of the search that chooses a move for `--draw`.
const CHOICE_NODES: u64 = 200;
/// Time between two messages about the progress if standard error is not a terminal.
const MESSAGE_INTERVAL: Duration = Duration::from_secs(60);

/// Solve a composition (排局): a mate with the answer to every defense, a win, or a draw.
#[derive(Debug, clap::Args)]
pub struct Arguments {
    #[command(flatten)]
    game: GameArguments,
    /// Prove a mate (杀局) of at most N moves.
    #[arg(long, value_name = "N", default_value_t = 40, value_parser = clap::value_parser!(u32).range(1..=i64::from(MAX_MOVES)))]
    mate: u32,
    /// Prove a win (胜局) of any length up to 64 moves: a mate on the board or by the endgame tablebases.
    #[arg(long, conflicts_with_all = ["mate", "draw"])]
    win: bool,
    /// Prove a draw (和局): neither side can win.
    #[arg(long, conflicts_with_all = ["mate", "pgn", "svg"])]
    draw: bool,
    #[command(flatten)]
    rules: RulesArgument,
    /// Search each position with at most N nodes; --draw examines at most N positions for each side.
    #[arg(long, value_name = "N", default_value_t = 5_000_000, value_parser = clap::value_parser!(u64).range(1..))]
    nodes: u64,
    /// Search threads; 0 = one per CPU core.
    #[arg(long, value_name = "N", default_value_t = 0, value_parser = clap::value_parser!(u16).range(0..=i64::from(MAX_THREADS)))]
    threads: u16,
    /// Hash table in MB; --draw uses one of this size for each thread.
    #[arg(long, value_name = "MB", default_value_t = 64, value_parser = clap::value_parser!(u32).range(1..=i64::from(MAX_HASH)))]
    hash: u32,
    #[command(flatten)]
    tablebases: TablebaseArguments,
    /// The notation of moves [default: chinese].
    #[arg(long, value_enum, ignore_case = true, conflicts_with = "draw")]
    notation: Option<MoveStyle>,
    /// Print the solution as JSON, which --verify reads.
    #[arg(long)]
    json: bool,
    /// Write the solution as a PGN with variations to FILE (`-` for standard output, in place of the text).
    #[arg(long, value_name = "FILE")]
    pgn: Option<PathBuf>,
    /// Write a picture with a diagram for each move of the main line to FILE (or `-`).
    #[arg(long, value_name = "FILE")]
    svg: Option<PathBuf>,
    #[command(flatten)]
    force: ForceArgument,
    /// On Ctrl-C, store what was found in FILE; if FILE exists, continue with it.
    #[arg(long, value_name = "FILE")]
    resume: Option<PathBuf>,
    /// Check the solution in FILE (JSON, `-` for standard input) without a search, only with the rules and, where the
    /// solution uses them, the endgame tablebases.
    #[arg(long, value_name = "FILE", conflicts_with_all = ["game", "moves", "mate", "win", "draw", "rules", "nodes", "threads", "hash", "notation", "json", "pgn", "svg", "force", "resume"])]
    verify: Option<PathBuf>,
}

/// A solution with its position and rules.
#[derive(Debug, Serialize, Deserialize)]
#[serde(expecting = "a solution of `chuhe solve --json`")]
struct SolutionFile {
    fen: String,
    rules: String,
    #[serde(flatten)]
    proof: Proof,
}

#[derive(Debug, Serialize, Deserialize)]
#[serde(tag = "stipulation", rename_all = "lowercase")]
enum Proof {
    Mate {
        moves: u32,
        #[serde(flatten)]
        solution: Solution,
    },
    Win {
        tree: MatingMove,
    },
    /// For each side, moves with which it does not lose.
    Draw {
        strategies: ByColor<Vec<Reply>>,
    },
}

impl Proof {
    /// The tree of a mate or a win.
    fn tree(&self) -> Option<&MatingMove> {
        match self {
            Self::Mate { solution, .. } => Some(&solution.tree),
            Self::Win { tree } => Some(tree),
            Self::Draw { .. } => None,
        }
    }
}

/// The results of an interrupted run.
#[derive(Debug, Default, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
struct ResumeFile {
    fen: String,
    rules: String,
    /// The mates that were found after replies of the defender.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    mates: Vec<KnownMate>,
    /// The positions examined for each side's defense.
    #[serde(default)]
    positions: ByColor<Vec<Candidates>>,
}

impl ResumeFile {
    /// The contents of the file that `--resume` names; no results if the file does not exist or none is named.
    fn read(game: &Game, arguments: &Arguments) -> Result<Self, Failure> {
        let new = Self {
            fen: fen::write_position(game.position()),
            rules: arguments.rules.rules.name().to_owned(),
            ..Self::default()
        };
        let Some(path) = arguments.resume.as_ref().filter(|path| path.exists()) else {
            return Ok(new);
        };
        let name = path.display();
        let bytes = open_input(path).and_then(|input| read_all(input, MAX_FILE_MB));
        let file: Self = serde_json::from_slice(&bytes.context(&name)?)
            .context(format_args!("{name}: not written by `chuhe solve --resume`"))?;
        if (&file.fen, &file.rules) != (&new.fen, &new.rules) {
            let why = "the file belongs to another position or another rule set";
            return Err(Failure::new(name, why));
        }
        Ok(file)
    }

    /// Writes the file that `--resume` names, if any.
    fn write(&self, arguments: &Arguments) -> Result<(), Failure> {
        let Some(path) = &arguments.resume else {
            return Ok(());
        };
        let json = serde_json::to_string(self).context(path.display())?;
        OutputFile::open(path)?.write(json)
    }
}

pub fn run(arguments: &Arguments) -> Result<ExitCode, Failure> {
    let tablebases = arguments.tablebases.open()?;
    let done = match &arguments.verify {
        Some(path) => verify(path, &tablebases).map(|()| ExitCode::SUCCESS),
        None => prove(arguments, &tablebases),
    };
    report_damaged_tablebases(&tablebases);
    done
}

/// The exit code is [`INTERRUPTED`] after Ctrl-C.
fn prove(arguments: &Arguments, tablebases: &Arc<Tables>) -> Result<ExitCode, Failure> {
    arguments.game.require_given("solve")?;
    if arguments.json && arguments.pgn.is_none() && arguments.svg.is_none() {
        require_no_notation(arguments.notation)?;
    }
    let given = arguments.game.read_with_source()?;
    let game = given.game;
    if let Some(end) = describe_end(&game, arguments.rules.rules) {
        note(&end);
    }
    let game = without_history(&game, arguments.rules.rules).context("solve")?;
    let files = create_files(arguments)?;
    let hash = arguments.hash as usize;
    let mut plan = SearchPlan::new(arguments.threads, hash, tablebases.clone());
    plan.settings.rules = arguments.rules.rules;
    let mut work =
        Work { interrupts: interrupts()?, is_interrupted: false, progress: Progress::new() };
    let proof = if arguments.draw {
        prove_draw(&game, arguments, &plan, &mut work)?
    } else {
        solve(&game, arguments, &plan, &mut work)?
    };
    work.progress.bar.finish_and_clear();
    let Some(proof) = proof else {
        note("interrupted; the proof is incomplete");
        return Ok(ExitCode::from(INTERRUPTED));
    };
    show(&game, given.record, proof, arguments, files, tablebases)?;
    if work.is_interrupted {
        note("interrupted; there may be a shorter mate or other solutions");
    }
    Ok(exit_code(work.is_interrupted))
}

/// A game without moves that starts at the last position of `game`. Its no-capture clock, the counter of the FEN, is
/// the number of plies that the rules count. If the game is already drawn by the no-capture limit, the clock starts at
/// 0, so that the position can be solved.
fn without_history(game: &Game, rules: RuleSet) -> Result<Game, InvalidPosition> {
    let position = game.position();
    let counted = counted_plies(position.clock(), rules);
    let setup = Setup {
        halfmove_clock: if counted < rules.no_capture_limit() { counted } else { 0 },
        ..position.setup()
    };
    Position::try_from(&setup).map(Game::new)
}

/// The interrupts and the progress of a proof.
struct Work {
    interrupts: Receiver<()>,
    /// Whether Ctrl-C has stopped a search.
    is_interrupted: bool,
    progress: Progress,
}

impl Work {
    /// Runs a search. `None` after Ctrl-C.
    fn search(
        &mut self,
        threads: &SearchThreads,
        request: SearchRequest,
    ) -> std::io::Result<Option<Outcome>> {
        let searched = threads.search(request, &self.interrupts, |report| {
            self.progress.report(&report);
            Ok(())
        });
        let (SearchResult { outcome, .. }, is_interrupted) = searched?;
        self.is_interrupted = is_interrupted;
        self.progress.nodes += outcome.nodes;
        Ok((!is_interrupted).then_some(outcome))
    }
}

/// Shows the progress: a line that is redrawn on a terminal, one message per minute elsewhere.
struct Progress {
    bar: ProgressBar,
    /// Nodes of the finished searches.
    nodes: u64,
    depth: u32,
    last_message: Instant,
}

impl Progress {
    fn new() -> Self {
        Self {
            bar: register_bar(ProgressBar::new_spinner(), "{spinner} {elapsed} {msg}"),
            nodes: 0,
            depth: 0,
            last_message: Instant::now(),
        }
    }

    fn report(&mut self, report: &Report) {
        let nodes = match report {
            Report::Line(info) => {
                self.depth = info.depth;
                info.nodes
            }
            Report::Progress { nodes, .. } => *nodes,
            _ => return,
        };
        let (nodes, depth) = (self.nodes + nodes, self.depth);
        self.show(format!("{nodes} nodes, depth {depth}"));
    }

    fn show(&mut self, text: String) {
        let is_terminal = std::io::IsTerminal::is_terminal(&std::io::stderr());
        if !is_terminal && self.last_message.elapsed() >= MESSAGE_INTERVAL {
            self.last_message = Instant::now();
            note(&text);
        }
        self.bar.set_message(translated(&text).into_owned());
        self.bar.tick();
    }
}

/// Solves a mate or proves a win. `None` if Ctrl-C comes before a mate is proven.
fn solve(
    game: &Game,
    arguments: &Arguments,
    plan: &SearchPlan,
    work: &mut Work,
) -> Result<Option<Proof>, Failure> {
    let threads = plan.start_threads()?;
    let run = |request: SearchRequest| match work.search(&threads, request) {
        Ok(Some(outcome)) => Ok(outcome),
        Ok(None) => Err(SolveError::Stopped),
        Err(error) => Err(SolveError::Failed(error.to_string())),
    };
    let mut solver =
        Solver::new(arguments.rules.rules, arguments.nodes, plan.tablebases.clone(), run);
    let file = ResumeFile::read(game, arguments)?;
    solver.resume(file.mates.clone()).context("--resume")?;
    let solved = if arguments.win {
        let tree = solver.win(game, MAX_MOVES);
        tree.map(|tree| Proof::Win { tree })
    } else {
        let solution = solver.solve(game, arguments.mate);
        solution.map(|solution| Proof::Mate { moves: solution.tree.plies.div_ceil(2), solution })
    };
    let mates = solver.known();
    drop(solver);
    if work.is_interrupted {
        ResumeFile { mates, ..file }.write(arguments)?;
    }
    match solved {
        Ok(proof) => Ok(Some(proof)),
        Err(SolveError::Stopped) => {
            print_unsolved(game, &SolveError::Stopped, arguments, &work.progress)?;
            Ok(None)
        }
        Err(error) => {
            print_unsolved(game, &error, arguments, &work.progress)?;
            Err(Failure::new("solve", error))
        }
    }
}

/// With `--json`, prints whether it is proven that no mate or win exists in the maximum number of moves.
fn print_unsolved(
    game: &Game,
    error: &SolveError,
    arguments: &Arguments,
    progress: &Progress,
) -> Result<(), Failure> {
    let Some(is_proven) = error.is_proven().filter(|_| arguments.json) else {
        return Ok(());
    };
    let (stipulation, moves) = match arguments {
        Arguments { win: true, .. } => ("win", Some(MAX_MOVES)),
        Arguments { draw: true, .. } => ("draw", None),
        _ => ("mate", Some(arguments.mate)),
    };
    let mut object = json!({
        "fen": fen::write_position(game.position()),
        "rules": arguments.rules.rules.name(),
        "stipulation": stipulation,
        "result": if is_proven { "none" } else { "unknown" },
    });
    if let Some(moves) = moves {
        object["moves"] = json!(moves);
    }
    progress.bar.finish_and_clear();
    print(&format!("{object:#}\n"))
}

/// Proves that neither side can win. `None` after Ctrl-C.
fn prove_draw(
    game: &Game,
    arguments: &Arguments,
    plan: &SearchPlan,
    work: &mut Work,
) -> Result<Option<Proof>, Failure> {
    let judge = RulesAndTables { rules: arguments.rules.rules, tables: &plan.tablebases };
    let limit = usize::try_from(arguments.nodes).unwrap_or(usize::MAX);
    let mut file = ResumeFile::read(game, arguments)?;
    let mut searchers = plan.searchers(plan.threads)?;
    let mut strategies = ByColor::default();
    for side in Color::ALL {
        let interrupts = &work.interrupts;
        let mut choose = |positions: &[Position]| {
            if interrupts.try_recv().is_ok() {
                return Err(SolveError::Stopped);
            }
            choose_moves(&mut searchers, plan, positions).map_err(SolveError::Failed)
        };
        let progress = &mut work.progress;
        let mut on_progress = |positions: usize| {
            progress.show(format!("{side} does not lose: {positions} positions"));
        };
        let start = game.position();
        let known = &mut file.positions[side];
        let held = hold(start, side, judge, limit, known, &mut choose, &mut on_progress);
        strategies[side] = match held {
            Ok(strategy) => strategy,
            Err(SolveError::Stopped) => {
                file.write(arguments)?;
                print_unsolved(game, &SolveError::Stopped, arguments, &work.progress)?;
                return Ok(None);
            }
            Err(error) => {
                print_unsolved(game, &error, arguments, &work.progress)?;
                let why = format!("it is not proven that {side} does not lose: {error}");
                return Err(Failure::new("solve", why));
            }
        };
    }
    Ok(Some(Proof::Draw { strategies }))
}

/// The best move of each position after a short search, several positions at the same time.
fn choose_moves(
    searchers: &mut [Searcher],
    plan: &SearchPlan,
    positions: &[Position],
) -> Result<Vec<Vec<Move>>, String> {
    let share = positions.len().div_ceil(searchers.len()).max(1);
    let shares = searchers.iter_mut().zip(positions.chunks(share));
    let choose = |searcher: &mut Searcher, positions: &[Position]| -> Result<Vec<_>, StartError> {
        let best = positions.iter().map(|position| {
            let game = Game::new(position.clone());
            let request = SearchRequest {
                limits: Limits::nodes(CHOICE_NODES),
                ..plan.request(&game, &Control::new(false))
            };
            Ok(searcher.search(request)?.outcome.best.into_iter().collect())
        });
        best.collect()
    };
    thread::scope(|scope| {
        let shares = shares.map(|(searcher, positions)| {
            spawn_search_thread(scope, move || choose(searcher, positions))
        });
        let running = shares.collect::<Result<Vec<_>, _>>();
        let mut chosen = Vec::with_capacity(positions.len());
        for thread in running.map_err(|error| error.to_string())? {
            let moves = thread.join().map_err(|_| "a search thread failed")?;
            chosen.extend(moves.map_err(|error| error.to_string())?);
        }
        Ok(chosen)
    })
}

/// The files of `--pgn` and `--svg`.
type OutputFiles = [Option<OutputFile>; 2];

fn create_files(arguments: &Arguments) -> Result<OutputFiles, Failure> {
    let files = [("--pgn", &arguments.pgn), ("--svg", &arguments.svg)];
    let json = arguments.json.then_some(("--json", Path::new("-")));
    let resume = arguments.resume.as_deref().map(|path| ("--resume", path));
    if let Some((option, path)) = resume {
        require_not_stdout(option, path)?;
    }
    let others = json.into_iter().chain(resume);
    let input = arguments.game.file();
    let created = create_outputs(files, others, input.as_slice(), arguments.force)?;
    // Checks that the file can be written. The run writes it only after Ctrl-C.
    if let Some(path) = &arguments.resume {
        OutputFile::open(path)?;
    }
    Ok(created)
}

/// Checks the proof, writes the files and prints the solution. `record` is that of the composition.
fn show(
    game: &Game,
    record: Option<GameTree>,
    proof: Proof,
    arguments: &Arguments,
    files: OutputFiles,
    tablebases: &Tables,
) -> Result<(), Failure> {
    let file = SolutionFile {
        fen: fen::write_position(game.position()),
        rules: arguments.rules.rules.name().to_owned(),
        proof,
    };
    check(game.position(), &file.proof, arguments.rules.rules, tablebases).context("solve")?;
    let notation = arguments.notation.unwrap_or(MoveStyle::Chinese);
    let uses_stdout = files.iter().flatten().any(OutputFile::is_stdout);
    let [pgn, svg] = files;
    if let Some(tree) = file.proof.tree() {
        if let Some(out) = pgn {
            let solution = match &file.proof {
                Proof::Mate { solution, .. } => Some(solution),
                _ => None,
            };
            let tags = record.map_or_else(Vec::new, |record| record.tags);
            let pgn = game_tree(game.position(), tags, solution, tree, notation);
            out.write(pgn.write_pgn(notation))?;
        }
        if let Some(out) = svg {
            out.write(diagrams(game.position(), tree, notation))?;
        }
    }
    if uses_stdout {
        return Ok(());
    }
    if arguments.json {
        let json = serde_json::to_string_pretty(&file).context("solve")?;
        return print(&(json + "\n"));
    }
    print_text(&match &file.proof {
        Proof::Mate { solution, .. } => describe(game, solution, notation),
        Proof::Win { tree } => describe_win(game, tree, notation),
        Proof::Draw { strategies } => describe_draw(strategies),
    })
}

/// Reads a solution as JSON. The tree of a long mate is nested more deeply than serde_json allows by default.
fn read_solution(bytes: &[u8]) -> serde_json::Result<SolutionFile> {
    let (mut level, mut deepest) = (0_usize, 0);
    let mut is_string = false;
    let mut bytes_left = bytes.iter();
    while let Some(byte) = bytes_left.next() {
        match byte {
            b'"' => is_string = !is_string,
            // In a string, the next byte may be a quote that does not end it.
            b'\\' if is_string => {
                bytes_left.next();
            }
            b'[' | b'{' if !is_string => level += 1,
            b']' | b'}' if !is_string => level = level.saturating_sub(1),
            _ => {}
        }
        deepest = deepest.max(level);
    }
    let mut reader = serde_json::Deserializer::from_slice(bytes);
    if deepest <= MAX_NESTING {
        reader.disable_recursion_limit();
    }
    let file = SolutionFile::deserialize(&mut reader)?;
    reader.end()?;
    Ok(file)
}

fn verify(path: &Path, tablebases: &Tables) -> Result<(), Failure> {
    let name = path.display();
    let input = open_input(path).context(&name)?;
    let bytes = read_all(input, MAX_FILE_MB).context(&name)?;
    let file = read_solution(&bytes).context(format_args!("{name}: not a solution as JSON"))?;
    let position = fen::parse_position(&file.fen).context(&name)?;
    let rules: RuleSet = file.rules.parse().context(&name)?;
    let positions = check(&position, &file.proof, rules, tablebases).context(&name)?;
    let claim = match &file.proof {
        Proof::Mate { solution, .. } => length(solution.tree.plies),
        Proof::Win { tree } => format!("a win, {}", length(tree.plies)),
        Proof::Draw { .. } => "neither side can win".to_owned(),
    };
    print_text(&format!("the solution is correct: {claim}, {}\n", counted(positions, "position")))
}

/// Checks a proof. Returns the number of positions.
fn check(
    position: &Position,
    proof: &Proof,
    rules: RuleSet,
    tablebases: &Tables,
) -> Result<usize, String> {
    match proof {
        Proof::Mate { moves, solution: Solution { tree, .. } }
            if *moves != tree.plies.div_ceil(2) =>
        {
            Err(format!("the mate does not take the stated {moves} moves"))
        }
        Proof::Mate { solution: Solution { tree, .. }, .. } | Proof::Win { tree } => {
            let game = Game::new(position.clone());
            let checked = verify_solution(&game, tree, rules, tablebases);
            checked.map_err(|error| error.to_string())
        }
        Proof::Draw { strategies } => {
            let judge = RulesAndTables { rules, tables: tablebases };
            let mut positions = 0;
            for side in Color::ALL {
                let checked = verify_strategy(position, side, judge, &strategies[side]);
                positions += checked.map_err(|error| format!("{side}: {error}"))?;
            }
            Ok(positions)
        }
    }
}
