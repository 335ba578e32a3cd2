//! `chuhe show`: a position as a board in the terminal, or as a picture.

use std::path::PathBuf;

use super::common::{
    BoardArguments, Context, Failure, ForceArgument, GameArguments, OutputFile, print, refuse_if,
    require_extension, require_not_input, translated,
};
use crate::board::{Move, Square};
use crate::notation::diagram::draw;
use crate::notation::parse_move;
use crate::notation::svg::{self, Highlights};

/// Show a position, by default the starting position, as a board in the terminal or as an SVG picture.
#[derive(Debug, clap::Args)]
pub struct Arguments {
    #[command(flatten)]
    game: GameArguments,
    #[command(flatten)]
    board: BoardArguments,
    /// Write the board as an SVG picture to FILE (`-` for standard output) instead of showing it.
    #[arg(long, value_name = "FILE", conflicts_with = "ascii")]
    svg: Option<PathBuf>,
    #[command(flatten)]
    force: ForceArgument,
    /// Draw an arrow for MOVE: a move in any notation, or the coordinates of any two squares. Can be repeated.
    #[arg(long, value_name = "MOVE", requires = "svg", conflicts_with = "ascii")]
    arrow: Vec<String>,
    /// Draw a ring around SQUARE, such as e4. Can be repeated.
    #[arg(long, value_name = "SQUARE", requires = "svg", conflicts_with = "ascii")]
    mark: Vec<Square>,
}

pub fn run(arguments: &Arguments) -> Result<(), Failure> {
    let is_unused = arguments.force.force && arguments.svg.is_none();
    refuse_if(is_unused, "--force", "has an effect only with --svg")?;
    let game = arguments.game.read()?;
    let position = game.position();
    let last = game.plies().last().map(|ply| ply.played);
    let style = arguments.board.style();
    let text = if arguments.svg.is_some() {
        let arrow = |text: &String| match text.parse::<Move>() {
            Ok(arrow) if arrow.from() != arrow.to() => Ok(arrow),
            _ => parse_move(position, text).context("--arrow"),
        };
        let highlights = Highlights {
            last,
            arrows: arguments.arrow.iter().map(arrow).collect::<Result<_, _>>()?,
            marks: arguments.mark.clone(),
        };
        svg::draw(position, style.flipped, &highlights)
    } else {
        let side = position.side_to_move();
        let board = draw(position, style, last);
        let turn = format!("{side} to move");
        format!("{board}\n{position}\n{}\n", translated(&turn))
    };
    match &arguments.svg {
        Some(path) => {
            require_not_input("--svg", path, arguments.game.file())?;
            require_extension("--svg", path, &["svg"])?;
            OutputFile::create(path, arguments.force)?.write(&text)
        }
        None => print(&text),
    }
}
