//! `chuhe solve`: the solution of a mate problem, and the check of a solution.

use std::cell::Cell;
use std::path::{Path, PathBuf};
use std::process::ExitCode;

use serde::{Deserialize, Serialize};

use super::common::{Context, Failure, GameArguments, INTERRUPTED, interrupts, open_input, print};
use crate::board::Position;
use crate::notation::MoveStyle;
use crate::notation::fen;
use crate::rules::{Game, RuleSet};
use crate::search::{
    MatingMove, OtherMoves, Searcher, Solution, SolveError, Solver, verify_solution,
};
use crate::text::read_all;

/// Maximum size of a solution file in MB.
const LONGEST_FILE: u64 = 256;
/// Hash table in MB.
const HASH: usize = 64;
/// Indentation of each level of the tree.
const INDENT: &str = "  ";

/// Solve a mate problem (排局): the first move, the answer to every defence, other solutions.
#[derive(Debug, clap::Args)]
pub(super) struct Arguments {
    #[command(flatten)]
    game: GameArguments,
    /// Maximum length of the mate in moves.
    #[arg(long, value_name = "N", default_value_t = 40, value_parser = clap::value_parser!(u32).range(1..=64))]
    mate: u32,
    /// The rule set that judges repetitions and limits.
    #[arg(long, value_name = "SET", value_enum, ignore_case = true, default_value_t = RuleSet::default())]
    rules: RuleSet,
    /// Search each position with at most N nodes.
    #[arg(long, value_name = "N", default_value_t = 5_000_000, value_parser = clap::value_parser!(u64).range(1..))]
    nodes: u64,
    /// The notation of moves.
    #[arg(long, value_enum, ignore_case = true, default_value_t = MoveStyle::Chinese)]
    notation: MoveStyle,
    /// Print the solution as JSON, which --verify reads.
    #[arg(long)]
    json: bool,
    /// Check the solution in FILE (JSON, `-` for standard input) with nothing but the rules.
    #[arg(long, value_name = "FILE", conflicts_with_all = ["game", "moves", "mate", "nodes", "json"])]
    verify: Option<PathBuf>,
}

/// A solution with its problem.
#[derive(Debug, Serialize, Deserialize)]
struct SolutionFile {
    fen: String,
    rules: String,
    moves: u32,
    #[serde(flatten)]
    solution: Solution,
}

/// Prints the solution, or the result of the check.
///
/// # Errors
/// The position or the file is invalid, the problem is not solved, or the solution is wrong.
pub(super) fn run(arguments: &Arguments) -> Result<ExitCode, Failure> {
    if let Some(path) = &arguments.verify {
        return verify(path).map(|()| ExitCode::SUCCESS);
    }
    if !arguments.game.is_given() {
        return Err(Failure::usage("solve", "no position is given"));
    }
    let game = arguments.game.read()?;
    let searcher = Searcher::new(HASH).context("solve")?;
    let interrupts = interrupts()?;
    let interrupted = Cell::new(false);
    let is_stopped = || {
        interrupted.set(interrupted.get() || interrupts.try_recv().is_ok());
        interrupted.get()
    };
    let mut solver = Solver::new(searcher, arguments.rules, arguments.nodes, &is_stopped);
    let solution = match solver.solve(&game, arguments.mate) {
        Ok(solution) => solution,
        Err(SolveError::Stopped) => return Ok(ExitCode::from(INTERRUPTED)),
        Err(error) => return Err(Failure::new("solve", error)),
    };
    let text = if arguments.json {
        let file = SolutionFile {
            fen: fen::write_position(game.position()),
            rules: arguments.rules.name().to_owned(),
            moves: solution.tree.plies.div_ceil(2),
            solution,
        };
        serde_json::to_string_pretty(&file).context("solve")? + "\n"
    } else {
        describe(&game, &solution, arguments.notation)
    };
    print(&text)?;
    Ok(ExitCode::SUCCESS)
}

/// Checks a solution file.
fn verify(path: &Path) -> Result<(), Failure> {
    let name = path.display();
    let input = open_input(path).context(&name)?;
    let bytes = read_all(input, LONGEST_FILE).context(&name)?;
    let file: SolutionFile = serde_json::from_slice(&bytes).context(&name)?;
    let position = fen::parse_position(&file.fen).context(&name)?;
    let rules = RuleSet::ALL
        .into_iter()
        .find(|set| set.name() == file.rules);
    let rules = rules.ok_or_else(|| Failure::new(&name, format!("no rule set {}", file.rules)))?;
    let tree = &file.solution.tree;
    let positions = verify_solution(&Game::new(position), tree, rules).context(&name)?;
    print(&format!(
        "the solution is correct: mate in {} moves, {positions} positions\n",
        tree.plies.div_ceil(2)
    ))
}

/// A solution as text.
fn describe(game: &Game, solution: &Solution, notation: MoveStyle) -> String {
    let tree = &solution.tree;
    let shortest = if solution.is_shortest {
        "no shorter mate exists"
    } else {
        "a shorter mate is not ruled out"
    };
    let mut text = format!(
        "mate in {} moves ({} plies), {shortest}\nmain line: {}\n\n",
        tree.plies.div_ceil(2),
        tree.plies,
        notation.write_line(game.position(), &tree.main_line()),
    );
    write_tree(&mut text, game.position(), tree, 1, 0, notation);
    text.push('\n');
    let mut here = game.position().clone();
    let line = tree.main_line();
    for (others, moves) in solution.others.iter().zip(line.chunks(2)) {
        text += &describe_others(&here, others, notation);
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
fn describe_others(position: &Position, others: &OtherMoves, notation: MoveStyle) -> String {
    let OtherMoves {
        number,
        moves,
        is_complete,
    } = others;
    let list = moves.iter().map(|other| {
        let length = other.plies.div_ceil(2);
        format!(
            "{} (mate in {length})",
            notation.write(position, other.played)
        )
    });
    let list = list.collect::<Vec<_>>().join(", ");
    let text = match (moves.is_empty(), is_complete) {
        (true, true) => "the only move that mates in time".to_owned(),
        (true, false) => "no other move found that mates in time".to_owned(),
        (false, true) => format!("also mates: {list}"),
        (false, false) => format!("also mates: {list}; there may be more"),
    };
    format!("move {number}: {text}\n")
}
