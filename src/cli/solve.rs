//! `chuhe solve`: the solution of a composition, and the check of a solution.

use std::fmt::Write;
use std::path::{Path, PathBuf};
use std::process::ExitCode;
use std::time::{Duration, Instant};

use crossbeam_channel::Receiver;
use indicatif::{ProgressBar, ProgressStyle};
use serde::{Deserialize, Serialize};

use super::common::{
    Context, Failure, GameArguments, INTERRUPTED, OutputFile, SearchPlan, SearchThreads,
    TableArguments, interrupts, note, open_input, print,
};
use crate::board::{ByColor, Color, Move, Position};
use crate::notation::diagram::DiagramStyle;
use crate::notation::svg::{self, Highlights};
use crate::notation::tree::{AnnotatedMove, GameResult, GameTree, NodeId, ROOT};
use crate::notation::{MoveStyle, fen};
use crate::rules::{Game, RuleSet};
use crate::search::{
    Control, HoldError, KnownMate, Limits, MAX_HASH, MAX_THREADS, MatingMove, OtherMoves, Outcome,
    Referee, Reply, Report, SearchRequest, Settings, Solution, SolveError, Solver, hold,
    verify_solution, verify_strategy,
};
use crate::tablebase::Tables;
use crate::text::read_all;

/// Maximum size of a solution file in MB.
const LONGEST_FILE: u64 = 256;
/// Indentation of each level of the tree.
const INDENT: &str = "  ";
/// The longest mate that `--win` looks for, in moves.
const LONGEST_WIN: u32 = 64;
/// Nodes of the search that chooses a move for `--draw`.
const CHOICE_NODES: u64 = 2_000;
/// Time between two messages about the progress if standard error is not a terminal.
const MESSAGE_INTERVAL: Duration = Duration::from_secs(60);

/// Solve a composition (排局): a mate with the answer to every defence, a win, or a draw.
#[derive(Debug, clap::Args)]
pub(super) struct Arguments {
    #[command(flatten)]
    game: GameArguments,
    /// Prove a mate (杀局) of at most N moves.
    #[arg(long, value_name = "N", default_value_t = 40, value_parser = clap::value_parser!(u32).range(1..=64))]
    mate: u32,
    /// Prove a win (胜局) of any length: a mate on the board or by the endgame tables.
    #[arg(long, conflicts_with_all = ["mate", "draw"])]
    win: bool,
    /// Prove a draw (和局): neither side can win.
    #[arg(long, conflicts_with_all = ["mate", "pgn", "svg", "resume"])]
    draw: bool,
    /// The rule set that judges repetitions and limits.
    #[arg(long, value_name = "SET", value_enum, ignore_case = true, default_value_t = RuleSet::default())]
    rules: RuleSet,
    /// Search each position with at most N nodes; --draw examines at most N positions for each side.
    #[arg(long, value_name = "N", default_value_t = 5_000_000, value_parser = clap::value_parser!(u64).range(1..))]
    nodes: u64,
    /// Search threads; 0 = one per CPU core. --draw uses one.
    #[arg(long, value_name = "N", default_value_t = 0, value_parser = clap::value_parser!(u16).range(0..=i64::from(MAX_THREADS)))]
    threads: u16,
    /// Hash table in MB.
    #[arg(long, value_name = "MB", default_value_t = 64, value_parser = clap::value_parser!(u32).range(1..=i64::from(MAX_HASH)))]
    hash: u32,
    #[command(flatten)]
    tables: TableArguments,
    /// The notation of moves.
    #[arg(long, value_enum, ignore_case = true, default_value_t = MoveStyle::Chinese)]
    notation: MoveStyle,
    /// Print the solution as JSON, which --verify reads.
    #[arg(long)]
    json: bool,
    /// Write the solution as a PGN with variations to FILE (`-` for standard output, in place of the text).
    #[arg(long, value_name = "FILE")]
    pgn: Option<PathBuf>,
    /// Write a picture with a diagram for each move of the main line to FILE (`-` for standard output).
    #[arg(long, value_name = "FILE")]
    svg: Option<PathBuf>,
    /// On Ctrl-C, store the mates found in FILE; if FILE exists, continue with them.
    #[arg(long, value_name = "FILE")]
    resume: Option<PathBuf>,
    /// Check the solution in FILE (JSON, `-` for standard input) with nothing but the rules and, where the solution uses them, the endgame tables.
    #[arg(long, value_name = "FILE", conflicts_with_all = ["game", "moves", "mate", "win", "draw", "nodes", "json", "pgn", "svg", "resume"])]
    verify: Option<PathBuf>,
}

/// A solution with its problem.
#[derive(Debug, Serialize, Deserialize)]
struct SolutionFile {
    fen: String,
    rules: String,
    #[serde(flatten)]
    proof: Proof,
}

/// A proven stipulation.
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

/// The mates of an interrupted run.
#[derive(Debug, Serialize, Deserialize)]
struct ResumeFile {
    fen: String,
    rules: String,
    mates: Vec<KnownMate>,
}

/// Prints the solution, or the result of the check.
///
/// # Errors
/// The position or the file is invalid, the problem is not solved, or the solution is wrong.
pub(super) fn run(arguments: &Arguments) -> Result<ExitCode, Failure> {
    let tables = arguments.tables.open()?;
    if let Some(path) = &arguments.verify {
        return verify(path, &tables).map(|()| ExitCode::SUCCESS);
    }
    if !arguments.game.is_given() {
        return Err(Failure::usage("solve", "no position is given"));
    }
    let game = arguments.game.read()?;
    let plan = SearchPlan {
        limits: Limits::default(),
        settings: Settings {
            rules: arguments.rules,
            ..Settings::default()
        },
        threads: usize::from(if arguments.draw { 1 } else { arguments.threads }),
        hash: arguments.hash as usize,
        network: None,
        tables,
    };
    let mut work = Work {
        threads: plan.threads()?,
        interrupts: interrupts()?,
        progress: Progress::new(),
    };
    let proof = if arguments.draw {
        prove_draw(&game, arguments, &plan, &mut work)?
    } else {
        solve(&game, arguments, &plan, &mut work)?
    };
    work.progress.bar.finish_and_clear();
    let Some(proof) = proof else {
        return Ok(ExitCode::from(INTERRUPTED));
    };
    show(&game, proof, arguments, &plan.tables)?;
    Ok(ExitCode::SUCCESS)
}

/// The search threads, Ctrl-C and the display of the progress.
struct Work {
    threads: SearchThreads,
    interrupts: Receiver<()>,
    progress: Progress,
}

impl Work {
    /// Searches to the end of a request. `None` after Ctrl-C.
    fn search(&mut self, request: SearchRequest) -> std::io::Result<Option<Outcome>> {
        let Self {
            threads,
            interrupts,
            progress,
        } = self;
        let searched = threads.search(request, interrupts, |report| {
            progress.report(&report);
            Ok(())
        });
        searched.map(|(outcome, is_interrupted)| {
            progress.nodes += outcome.nodes;
            (!is_interrupted).then_some(outcome)
        })
    }
}

/// The progress: a line that is redrawn on a terminal, a message a minute elsewhere.
struct Progress {
    bar: ProgressBar,
    /// Nodes of the finished searches.
    nodes: u64,
    depth: u32,
    last_message: Instant,
}

impl Progress {
    fn new() -> Self {
        let style = ProgressStyle::with_template("{spinner} {elapsed} {msg}");
        let style = style.unwrap_or_else(|_| ProgressStyle::default_spinner());
        Self {
            bar: ProgressBar::new_spinner().with_style(style),
            nodes: 0,
            depth: 0,
            last_message: Instant::now(),
        }
    }

    /// Shows the nodes and the depth of a search.
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
        self.bar.set_message(text);
        self.bar.tick();
    }
}

/// Solves a mate or proves a win. `None` after Ctrl-C.
fn solve(
    game: &Game,
    arguments: &Arguments,
    plan: &SearchPlan,
    work: &mut Work,
) -> Result<Option<Proof>, Failure> {
    let run = |request: SearchRequest| match work.search(request) {
        Ok(Some(outcome)) => Ok(outcome),
        Ok(None) => Err(SolveError::Stopped),
        Err(error) => Err(SolveError::Failed(error.to_string())),
    };
    let mut solver = Solver::new(arguments.rules, arguments.nodes, run);
    let start = fen::write_position(game.position());
    if let Some(path) = arguments.resume.as_ref().filter(|path| path.exists()) {
        let name = path.display();
        let bytes = open_input(path).and_then(|input| read_all(input, LONGEST_FILE));
        let file: ResumeFile = serde_json::from_slice(&bytes.context(&name)?).context(&name)?;
        if (file.fen.as_str(), file.rules.as_str()) != (&start, arguments.rules.name()) {
            let why = "the file belongs to another position or another rule set";
            return Err(Failure::new(name, why));
        }
        solver.resume(file.mates).context(name)?;
    }
    let solved = if arguments.win {
        let tree = solver.win(game, LONGEST_WIN, plan.tables.clone());
        tree.map(|tree| Proof::Win { tree })
    } else {
        let solution = solver.solve(game, arguments.mate);
        solution.map(|solution| Proof::Mate {
            moves: solution.tree.plies.div_ceil(2),
            solution,
        })
    };
    match (solved, &arguments.resume) {
        (Ok(proof), _) => Ok(Some(proof)),
        (Err(SolveError::Stopped), None) => Ok(None),
        (Err(SolveError::Stopped), Some(path)) => {
            let file = ResumeFile {
                fen: start,
                rules: arguments.rules.name().to_owned(),
                mates: solver.known(),
            };
            let json = serde_json::to_string(&file).context(path.display())?;
            OutputFile::open(path)?.write(json)?;
            Ok(None)
        }
        (Err(error), _) => Err(Failure::new("solve", error)),
    }
}

/// Proves that neither side can win. `None` after Ctrl-C.
fn prove_draw(
    game: &Game,
    arguments: &Arguments,
    plan: &SearchPlan,
    work: &mut Work,
) -> Result<Option<Proof>, Failure> {
    let referee = Referee {
        rules: arguments.rules,
        tables: &plan.tables,
    };
    let limit = usize::try_from(arguments.nodes).unwrap_or(usize::MAX);
    let mut strategies = ByColor::default();
    for side in Color::ALL {
        let mut choose = |position: &Position| {
            let limits = Limits {
                nodes: Some(CHOICE_NODES),
                ..Limits::default()
            };
            let request = SearchRequest {
                limits,
                ..plan.request(&Game::new(position.clone()), &Control::new(false))
            };
            let threads = &work.threads;
            let searched = threads.search(request, &work.interrupts, |_| Ok(()));
            let (outcome, is_interrupted) =
                searched.map_err(|error| HoldError::Failed(error.to_string()))?;
            if is_interrupted {
                return Err(HoldError::Stopped);
            }
            Ok(outcome.best.into_iter().collect())
        };
        let progress = &mut work.progress;
        let mut on_progress = |positions: usize| {
            progress.show(format!("{side} does not lose: {positions} positions"));
        };
        let start = game.position();
        let held = hold(start, side, referee, limit, &mut choose, &mut on_progress);
        strategies[side] = match held {
            Ok(strategy) => strategy,
            Err(HoldError::Stopped) => return Ok(None),
            Err(error) => {
                let why = format!("it is not proven that {side} does not lose: {error}");
                return Err(Failure::new("solve", why));
            }
        };
    }
    Ok(Some(Proof::Draw { strategies }))
}

/// Prints and writes a solution.
fn show(game: &Game, proof: Proof, arguments: &Arguments, tables: &Tables) -> Result<(), Failure> {
    let file = SolutionFile {
        fen: fen::write_position(game.position()),
        rules: arguments.rules.name().to_owned(),
        proof,
    };
    check(game.position(), &file.proof, arguments.rules, tables).context("solve")?;
    let notation = arguments.notation;
    if let Proof::Mate {
        solution: Solution { tree, .. },
        ..
    }
    | Proof::Win { tree } = &file.proof
    {
        if let Some(path) = &arguments.pgn {
            let pgn = game_tree(game.position(), &file.proof, tree, notation);
            OutputFile::open(path)?.write(pgn.write_pgn(notation))?;
        }
        if let Some(path) = &arguments.svg {
            OutputFile::open(path)?.write(diagrams(game.position(), tree, notation))?;
        }
    }
    let outputs = [&arguments.pgn, &arguments.svg];
    let is_dash = |path: &&PathBuf| path.as_os_str() == "-";
    if outputs.into_iter().flatten().any(|path| is_dash(&path)) {
        return Ok(());
    }
    let text = if arguments.json {
        serde_json::to_string_pretty(&file).context("solve")? + "\n"
    } else {
        match &file.proof {
            Proof::Mate { solution, .. } => describe(game, solution, notation),
            Proof::Win { tree } => describe_win(game, tree, notation),
            Proof::Draw { strategies } => describe_draw(strategies),
        }
    };
    print(&text)
}

/// Checks a solution file.
fn verify(path: &Path, tables: &Tables) -> Result<(), Failure> {
    let name = path.display();
    let input = open_input(path).context(&name)?;
    let bytes = read_all(input, LONGEST_FILE).context(&name)?;
    let file: SolutionFile = serde_json::from_slice(&bytes).context(&name)?;
    let position = fen::parse_position(&file.fen).context(&name)?;
    let rules = RuleSet::ALL
        .into_iter()
        .find(|set| set.name() == file.rules);
    let rules = rules.ok_or_else(|| Failure::new(&name, format!("no rule set {}", file.rules)))?;
    let positions = check(&position, &file.proof, rules, tables).context(&name)?;
    let claim = match &file.proof {
        Proof::Mate { solution, .. } => length(&solution.tree),
        Proof::Win { tree } => format!("a win, {}", length(tree)),
        Proof::Draw { .. } => "neither side can win".to_owned(),
    };
    print(&format!(
        "the solution is correct: {claim}, {positions} positions\n"
    ))
}

/// Checks a proof. Returns the number of positions.
fn check(
    position: &Position,
    proof: &Proof,
    rules: RuleSet,
    tables: &Tables,
) -> Result<usize, String> {
    match proof {
        Proof::Mate {
            solution: Solution { tree, .. },
            ..
        }
        | Proof::Win { tree } => {
            let game = Game::new(position.clone());
            let checked = verify_solution(&game, tree, rules, tables);
            checked.map_err(|error| error.to_string())
        }
        Proof::Draw { strategies } => {
            let referee = Referee { rules, tables };
            let mut positions = 0;
            for side in Color::ALL {
                let checked = verify_strategy(position, side, referee, &strategies[side]);
                positions += checked.map_err(|error| format!("{side}: {error}"))?;
            }
            Ok(positions)
        }
    }
}

/// The length of a mate.
fn length(tree: &MatingMove) -> String {
    format!(
        "mate in {} moves ({} plies)",
        tree.plies.div_ceil(2),
        tree.plies
    )
}

/// A win as text.
fn describe_win(game: &Game, tree: &MatingMove, notation: MoveStyle) -> String {
    let mut text = format!(
        "a win, {} or earlier\nmain line: {}\n\n",
        length(tree),
        notation.write_line(game.position(), &tree.main_line()),
    );
    write_tree(&mut text, game.position(), tree, 1, 0, notation);
    text
}

/// A draw as text.
fn describe_draw(strategies: &ByColor<Vec<Reply>>) -> String {
    let mut text = "a draw: neither side can win\n".to_owned();
    for side in Color::ALL {
        // Writing to a string cannot fail.
        let _ = writeln!(
            text,
            "{side} does not lose: a move is proven for each of {} positions",
            strategies[side].len()
        );
    }
    text
}

/// A solution as a game record. Every defence is a variation; the longest one is the main line.
fn game_tree(start: &Position, proof: &Proof, tree: &MatingMove, notation: MoveStyle) -> GameTree {
    let mut record = GameTree::new(start.clone());
    record.result = GameResult::win_of(start.side_to_move());
    record.tags.push(("Event".to_owned(), length(tree)));
    add_moves(&mut record, ROOT, tree);
    if let Proof::Mate { solution, .. } = proof {
        let line: Vec<NodeId> = record.moves.line(ROOT).collect();
        let mut here = start.clone();
        for (others, ids) in solution.others.iter().zip(line.chunks(2)) {
            record.moves[ids[0]].comment = others_text(&here, others, notation);
            for played in ids.iter().filter_map(|id| record.moves[*id].played) {
                here.make(played);
            }
        }
        record.moves[ROOT].comment = headline(solution);
    }
    record
}

fn add_moves(record: &mut GameTree, after: NodeId, tree: &MatingMove) {
    let annotated = |played| AnnotatedMove {
        played: Some(played),
        ..AnnotatedMove::default()
    };
    let node = record.moves.add(after, annotated(tree.played));
    if tree.by_table {
        record.moves[node].comment = table_text(tree);
    }
    for reply in &tree.replies {
        let defence = record.moves.add(node, annotated(reply.played));
        add_moves(record, defence, &reply.answer);
    }
}

/// Diagrams of the main line, one for each move of the solver, with the move as an arrow.
fn diagrams(start: &Position, tree: &MatingMove, notation: MoveStyle) -> String {
    /// Diagrams in a row, and the size of each with its caption.
    const COLUMNS: usize = 4;
    const WIDTH: usize = 500;
    const HEIGHT: usize = 600;
    let line = tree.main_line();
    let count = line.len().div_ceil(2);
    let (width, height) = (COLUMNS.min(count) * WIDTH, count.div_ceil(COLUMNS) * HEIGHT);
    let mut text =
        format!("<svg xmlns=\"http://www.w3.org/2000/svg\" viewBox=\"0 0 {width} {height}\">\n");
    let mut here = start.clone();
    let mut last: Option<Move> = None;
    for (n, moves) in line.chunks(2).enumerate() {
        let (x, y) = (n % COLUMNS * WIDTH, n / COLUMNS * HEIGHT);
        let highlights = Highlights {
            last,
            arrows: vec![moves[0]],
            marks: Vec::new(),
        };
        let board = svg::draw(&here, DiagramStyle::default(), &highlights);
        text += &board.replacen("<svg ", &format!("<svg x=\"{x}\" y=\"{y}\" "), 1);
        let caption = format!("{}. {}", n + 1, notation.write(&here, moves[0]));
        let (x, y) = (x + WIDTH / 2, y + HEIGHT - 20);
        let _ = writeln!(
            text,
            "<text x=\"{x}\" y=\"{y}\" font-size=\"28\">{caption}</text>"
        );
        for played in moves {
            here.make(*played);
        }
        last = moves.get(1).copied();
    }
    text + "</svg>\n"
}

/// The length of a solution and whether it is the shortest and unique.
fn headline(solution: &Solution) -> String {
    let shortest = if solution.is_shortest {
        "no shorter mate exists"
    } else {
        "a shorter mate is not ruled out"
    };
    let is_only = |others: &OtherMoves| others.is_complete && others.moves.is_empty();
    let unique = if solution.is_shortest && solution.others.iter().all(is_only) {
        ", unique along the main line"
    } else {
        ""
    };
    format!("{}, {shortest}{unique}", length(&solution.tree))
}

/// The end of a line in an endgame table.
fn table_text(tree: &MatingMove) -> String {
    format!("mate in {} plies by the endgame table", tree.plies - 1)
}

/// A solution as text.
fn describe(game: &Game, solution: &Solution, notation: MoveStyle) -> String {
    let tree = &solution.tree;
    let mut text = format!(
        "{}\nmain line: {}\n\n",
        headline(solution),
        notation.write_line(game.position(), &tree.main_line()),
    );
    write_tree(&mut text, game.position(), tree, 1, 0, notation);
    text.push('\n');
    let mut here = game.position().clone();
    let line = tree.main_line();
    for (others, moves) in solution.others.iter().zip(line.chunks(2)) {
        let _ = writeln!(
            text,
            "move {}: {}",
            others.number,
            others_text(&here, others, notation)
        );
        for m in moves {
            here.make(*m);
        }
    }
    text
}

/// Writes a move and the answers to all replies. A single reply continues the row, several begin new rows.
fn write_tree(
    text: &mut String,
    position: &Position,
    node: &MatingMove,
    number: u32,
    indent: usize,
    notation: MoveStyle,
) {
    *text += &format!("{number}. {}", notation.write(position, node.played));
    let mut after = position.clone();
    after.make(node.played);
    if node.by_table {
        let _ = writeln!(text, " ({})", table_text(node));
        return;
    }
    if node.replies.is_empty() {
        *text += if after.in_check() {
            " #\n"
        } else {
            " stalemate\n"
        };
        return;
    }
    let is_single = node.replies.len() == 1;
    if !is_single {
        text.push('\n');
    }
    for reply in &node.replies {
        let indent = if is_single { indent } else { indent + 1 };
        if is_single {
            text.push(' ');
        } else {
            *text += &INDENT.repeat(indent);
            *text += &format!("{number}… ");
        }
        *text += &format!("{} ", notation.write(&after, reply.played));
        let mut next = after.clone();
        next.make(reply.played);
        write_tree(text, &next, &reply.answer, number + 1, indent, notation);
    }
}

/// The other moves that mate in one position of the main line.
fn others_text(position: &Position, others: &OtherMoves, notation: MoveStyle) -> String {
    let OtherMoves {
        moves, is_complete, ..
    } = others;
    let list = moves.iter().map(|other| {
        let moves = other.plies.div_ceil(2);
        let played = notation.write(position, other.played);
        format!("{played} (mate in {moves} moves, {} plies)", other.plies)
    });
    let list = list.collect::<Vec<_>>().join(", ");
    match (moves.is_empty(), is_complete) {
        (true, true) => "the only move that mates in time".to_owned(),
        (true, false) => "no other move found that mates in time".to_owned(),
        (false, true) => format!("also mates: {list}"),
        (false, false) => format!("also mates: {list}; there may be more"),
    }
}
