//! `chuhe data`: shows, merges, converts and rescores files of games, which self-play writes and training reads, and
//! fits the win rate model to them.

use std::fmt::Write as _;
use std::fs::File;
use std::io::{self, BufRead, Seek, SeekFrom};
use std::path::{Path, PathBuf};

use clap::Subcommand;

use super::common::{
    Context, Failure, ForceArgument, NetworkArgument, OutputFile, Unread, in_utf_8, is_stdout,
    note, open_input, open_with_beginning, plies_text, print, print_if_read, print_text,
    require_extension, require_not_input, translated, with_files_of_folders,
};
use crate::text::counted;
use crate::training::data::{
    AppendError, BadRecord, FileDamage, Filter, GameReader, GameWriter, NO_SCORE, Record,
    TrainingGame, is_game_file,
};
use crate::training::prepare::{
    ConvertError, Converted, Merge, RelabelError, Relabeling, Statistics, convert_records,
    convert_text, relabel,
};
use crate::training::{Sample, WinRateCounts};

/// Show, merge, convert and rescore files of games (.chg).
#[derive(Debug, clap::Args)]
pub struct Arguments {
    #[command(subcommand)]
    command: DataCommand,
}

#[derive(Debug, Subcommand)]
enum DataCommand {
    /// Count games, results, endings, scores, pieces and duplicates.
    Stats {
        /// Files of games.
        #[arg(required = true)]
        files: Vec<PathBuf>,
    },
    View(ViewArguments),
    Merge(MergeArguments),
    /// Make a file of games from samples as text (FEN | score | result, for red) or from game records of any format
    /// that have a result.
    ///
    /// The score of a sample is a whole number of evaluation units (a minor piece is 450); the result is 1, 0.5 or 0.
    /// Samples in a row with rising move numbers and the same result are one game.
    ///
    /// The score of a move in a game record is at the beginning of its comment, as `chuhe match` and other programs
    /// write it (+0.35/12, +M4/12). It is in minor pieces if the tag RedEngine or BlackEngine says that the engine of
    /// this side speaks UCCI, and otherwise in pawns (a minor piece is four pawns). M4 is a mate in four moves if the
    /// game has this tag, whatever the protocol, and otherwise a mate in four plies.
    ///
    /// Games annotated by `chuhe review` are left out, because their scores are for red. Games lost on time, by an
    /// illegal move or by a crash are left out, because their results say nothing about the positions.
    Convert {
        /// Output file; `-` is standard output.
        out: PathBuf,
        /// Samples or game records, detected by content, or folders with game records.
        #[arg(required = true)]
        files: Vec<PathBuf>,
        #[command(flatten)]
        force: ForceArgument,
    },
    /// Fit the win rate model to games and write it as Rust source (src/eval/win_rate/model.rs).
    WinRate {
        /// Files of games.
        #[arg(required = true)]
        files: Vec<PathBuf>,
        /// Output file; `-` is standard output.
        #[arg(long, short)]
        out: PathBuf,
        #[command(flatten)]
        force: ForceArgument,
    },
    Relabel(RelabelArguments),
}

/// Write the games of several files into one, in random order and without duplicates.
#[derive(Debug, clap::Args)]
pub struct MergeArguments {
    /// Output file; `-` is standard output.
    out: PathBuf,
    /// Files of games.
    #[arg(required = true)]
    files: Vec<PathBuf>,
    /// Seed of the random order.
    #[arg(long, value_name = "N", default_value_t = 0)]
    seed: u64,
    #[command(flatten)]
    force: ForceArgument,
}

/// Rescore games with the current evaluation; moves and results do not change.
///
/// Only moves that have a score get a new one. In a game without any scores, all moves after the random ones get a
/// score. Games with an illegal move are left out.
#[derive(Debug, clap::Args)]
pub struct RelabelArguments {
    /// Output file; `-` is standard output.
    out: PathBuf,
    /// Files of games.
    #[arg(required = true)]
    files: Vec<PathBuf>,
    /// Nodes per position, after which the current iteration is finished; 0 = static evaluation, as searches scale it.
    #[arg(long, value_name = "N", default_value_t = 1000)]
    nodes: u64,
    /// Number of games processed at the same time.
    #[arg(long, value_name = "N", default_value_t = 1, value_parser = clap::value_parser!(u16).range(1..=1024))]
    threads: u16,
    #[command(flatten)]
    network: NetworkArgument,
    #[command(flatten)]
    force: ForceArgument,
}

/// Show games with their scores, or with --samples one position per line: FEN | score | result, for red.
///
/// Scores are in evaluation units (a minor piece is 450).
#[derive(Debug, clap::Args)]
pub struct ViewArguments {
    /// File of games.
    file: PathBuf,
    /// Skip N games.
    #[arg(long, value_name = "N", default_value_t = 0)]
    skip: usize,
    /// Show N games.
    #[arg(long, value_name = "N", default_value_t = 1)]
    games: usize,
    /// Show positions instead of games: the quiet ones, which are used in training.
    #[arg(long)]
    samples: bool,
    /// With --samples: show every position with a score.
    #[arg(long, requires = "samples", conflicts_with = "plan")]
    all: bool,
    /// Show only the settings with which the games were made.
    #[arg(long, conflicts_with_all = ["skip", "games", "samples"])]
    plan: bool,
}

pub fn run(arguments: &Arguments) -> Result<(), Failure> {
    match &arguments.command {
        DataCommand::Stats { files } => stats(files),
        DataCommand::View(arguments) => view(arguments),
        DataCommand::Merge(arguments) => merge_files(arguments),
        DataCommand::Convert { out, files, force } => convert_files(out, files, *force),
        DataCommand::WinRate { files, out, force } => win_rate(files, out, *force),
        DataCommand::Relabel(arguments) => relabel_files(arguments),
    }
}

fn relabel_files(arguments: &RelabelArguments) -> Result<(), Failure> {
    let RelabelArguments { out, files, .. } = arguments;
    let plan = Relabeling {
        nodes: arguments.nodes,
        threads: usize::from(arguments.threads),
        network: arguments.network.read()?,
    };
    require_not_input("the output file", out, files)?;
    let mut new = NewGames::begin(out, arguments.force)?;
    let out_name = new.out.name();
    let (mut total, mut unread) = (0, Unread::default());
    unread.each_file(files, |_, file| {
        let mut source = open(file)?;
        let name = file.display();
        let progress = |games| note(&format!("{name}: {}", counted(games, "game")));
        let done = new.add(|writer| match relabel(&mut source, writer, &plan, progress) {
            Err(RelabelError::Write(AppendError::Io(error))) => {
                Err(Failure::of_output(&out_name, error))
            }
            done => done.context(file.display()),
        })?;
        total += done.games;
        if done.illegal > 0 {
            let illegal = done.illegal;
            note(&format!("{name}: games with an illegal move left out: {illegal}"));
        }
        warn_of_damage(file, source.damage());
        Ok(())
    })?;
    new.finish(total)?;
    report(out, &counted(total, "game"))?;
    unread.finish("data relabel")
}

fn merge_files(arguments: &MergeArguments) -> Result<(), Failure> {
    let MergeArguments { out, files, .. } = arguments;
    require_not_input("the output file", out, files)?;
    let mut new = NewGames::begin(out, arguments.force)?;
    let (mut merge, mut unread) = (Merge::default(), Unread::default());
    unread.each_file(files, |_, file| {
        let mut source = open(file)?;
        merge.add(&mut source).context(file.display())?;
        warn_of_damage(file, source.damage());
        Ok(())
    })?;
    let merged = merge.write(&mut new.writer, arguments.seed).context(new.out.name())?;
    new.finish(merged.games)?;
    let games = counted(merged.games, "game");
    let duplicates = counted(merged.duplicates, "duplicate");
    report(out, &format!("{games}, {duplicates} left out"))?;
    unread.finish("data merge")
}

fn stats(files: &[PathBuf]) -> Result<(), Failure> {
    let (mut statistics, mut unread) = (Statistics::default(), Unread::default());
    unread.each_file(files, |_, file| {
        let mut source = open(file)?;
        while let Some(record) = source.next_record().context(file.display())? {
            statistics.add(&record);
        }
        warn_of_damage(file, source.damage());
        Ok(())
    })?;
    print_text(&statistics.to_string())?;
    unread.finish("data stats")
}

/// Prints a line, to standard error if the games go to standard output.
fn report(out: &Path, line: &str) -> Result<(), Failure> {
    if is_stdout(out) {
        note(line);
        Ok(())
    } else {
        print_text(&format!("{line}\n"))
    }
}

fn win_rate(files: &[PathBuf], out: &Path, force: ForceArgument) -> Result<(), Failure> {
    require_not_input("--out", out, files)?;
    let output = OutputFile::create(out, force)?;
    let (mut counts, mut unread) = (WinRateCounts::default(), Unread::default());
    unread.each_file(files, |_, file| {
        let mut source = open(file)?;
        let mut illegal = 0;
        while let Some(record) = source.next_record().context(file.display())? {
            illegal += u64::from(counts.add(&record).is_err());
        }
        warn_of_illegal_moves(file, illegal);
        warn_of_damage(file, source.damage());
        Ok(())
    })?;
    let model = counts.fit().context("the model cannot be fitted")?;
    output.write(model.source())?;
    note(&format!("{} positions, mean loss {:.4}", model.positions, model.loss));
    unread.finish("data win-rate")
}

fn convert_files(out: &Path, files: &[PathBuf], force: ForceArgument) -> Result<(), Failure> {
    let (mut total, mut unread) = (0, Unread::default());
    let files = with_files_of_folders(files, &mut unread)?;
    require_not_input("the output file", out, &files)?;
    let mut new = NewGames::begin(out, force)?;
    let out_name = new.out.name();
    unread.each_file(&files, |_, file| {
        let converted = new.add(|writer| convert_file(file, writer, &out_name))?;
        if converted.skipped > 0 {
            let skipped = converted.skipped;
            note(&format!("{}: games left out: {skipped}", file.display()));
        }
        if converted.unscored > 0 {
            let (name, unscored) = (file.display(), converted.unscored);
            note(&format!("{name}: games with comments but without a score: {unscored}"));
        }
        if converted.has_torn_end {
            let name = file.display();
            note(&format!("{name}: left out an incomplete last line"));
        }
        total += converted.games;
        let games = counted(converted.games, "game");
        let positions = counted(converted.positions, "position");
        let counts = format!("{games}, {positions}");
        let is_only = files.len() == 1;
        report(out, &if is_only { counts } else { format!("{}: {counts}", file.display()) })
    })?;
    new.finish(total)?;
    unread.finish("data convert")
}

/// Writes the games of a file of samples or game records to `writer`. `out` is the path of the output for messages.
fn convert_file(
    file: &Path,
    writer: &mut GameWriter<File>,
    out: &str,
) -> Result<Converted, Failure> {
    let (head, mut source) = open_with_beginning(file, 1 << 16).context(file.display())?;
    if is_game_file(&head) {
        let why = "this is already a file of games";
        return Err(Failure::new(file.display(), why));
    }
    let text = head.strip_prefix("\u{feff}".as_bytes()).unwrap_or(&head);
    if text.is_empty() {
        return Err(Failure::new(file.display(), "the file is empty"));
    }
    let mark = head.len() - text.len();
    let text = text.trim_ascii_start();
    if text.starts_with(b"fen ") {
        let why =
            "this is the `plain` format of Stockfish; samples are lines of FEN | score | result";
        return Err(Failure::new(file.display(), why));
    }
    // Lines that begin with `#` do not determine the format. `convert_text` reports them as errors. Samples in UTF-16
    // are recognized too: `|` and line feeds are the same bytes as in ASCII, with a NUL beside them.
    let mut lines = text.split(|byte| *byte == b'\n');
    let line = lines.find(|line| !line.starts_with(b"#"));
    let line = line.unwrap_or_default();
    let without_mark = line.strip_prefix(b"\xff\xfe").or_else(|| line.strip_prefix(b"\xfe\xff"));
    let fields = without_mark.unwrap_or(line).split(|byte| *byte == b'|').collect::<Vec<_>>();
    let is_text = |field: &[u8]| {
        field.iter().all(|byte| matches!(byte, 0 | b'\t') || !byte.is_ascii_control())
    };
    // Game records may have lines of `NAME|FEN|moves`, and binary files any bytes.
    let is_samples = match fields[..] {
        [fen, score, _, ..] => is_text(fen) && is_text(score) && !score.contains(&b'/'),
        _ => false,
    };
    source.consume(mark);
    let converted = if is_samples {
        convert_text(in_utf_8(&head, source), writer)
    } else {
        convert_records(source, writer)
    };
    match converted {
        Err(ConvertError::Write(AppendError::Io(error))) => Err(Failure::of_output(out, error)),
        converted => converted.context(file.display()),
    }
}

fn view(arguments: &ViewArguments) -> Result<(), Failure> {
    let mut source = open(&arguments.file)?;
    if arguments.plan {
        let unknown = translated("unknown");
        return print(&format!("{}\n", source.plan().unwrap_or(&unknown)));
    }
    let filter = if arguments.all { Filter::NONE } else { Filter::QUIET };
    let (mut number, mut illegal) = (0, 0);
    while number < arguments.skip.saturating_add(arguments.games)
        && let Some(record) = source.next_record().context(arguments.file.display())?
    {
        number += 1;
        if number <= arguments.skip {
            continue;
        }
        let text = match (&record, arguments.samples) {
            (Record::Game(game), false) => game_text(number, game),
            _ => {
                let (text, visited) = samples_text(&record, &filter);
                illegal += u64::from(visited.is_err());
                text
            }
        };
        if !print_if_read(&text)? {
            return Ok(());
        }
    }
    warn_of_illegal_moves(&arguments.file, illegal);
    warn_of_damage(&arguments.file, source.damage());
    if number <= arguments.skip && arguments.skip > 0 && arguments.games > 0 {
        let games = counted(number, "game");
        return Err(Failure::usage("--skip", format!("the file has only {games}")));
    }
    Ok(())
}

/// A heading, the starting position if it is not the usual one, then a line for each full move.
fn game_text(number: usize, game: &TrainingGame) -> String {
    let heading = format!(
        "game {number}: seed {}, number {} in its run, {} ({} random), {} by {}\n",
        game.seed,
        game.number,
        plies_text(game.moves.len()),
        game.random_plies,
        game.result,
        game.ending,
    );
    let mut text = translated(&heading).into_owned();
    let start = game.start_position();
    if game.start.is_some() {
        text += &translated(&format!("starting position {start}\n"));
    }
    // If black moves first, `...` takes the place of red's first move.
    let before = start.side_to_move().index();
    let cells = game.moves.iter().map(|ply| match ply.score {
        NO_SCORE => format!("{}       -", ply.played),
        score => format!("{} {score:>+7}", ply.played),
    });
    let cells: Vec<_> =
        std::iter::repeat_n("...         ".to_owned(), before).chain(cells).collect();
    for (number, pair) in (1..).zip(cells.chunks(2)) {
        let _ = writeln!(text, "{number:>4}. {}", pair.join("   "));
    }
    text
}

/// The samples of a record that pass the filter, one per line. If the record has an illegal move, they are the samples
/// before it, and the result is an error.
fn samples_text(record: &Record, filter: &Filter) -> (String, Result<(), BadRecord>) {
    let result = record.result();
    let mut text = String::new();
    let visited = record.visit(filter, |labeled| {
        let score = labeled.score_for_red() as i16;
        let sample = Sample { position: labeled.position.clone(), score, result };
        let _ = writeln!(text, "{sample}");
    });
    (text, visited)
}

/// Opens a file of games to read; `-` is standard input.
fn open(path: &Path) -> Result<GameReader<Box<dyn BufRead + Send>>, Failure> {
    let file = open_input(path).context(path.display())?;
    GameReader::new(file).context(path.display())
}

/// A new file of games. It appears under its name only when it is complete. A pipe, a device and standard output get
/// the complete file at the end.
struct NewGames {
    writer: GameWriter<File>,
    /// The temporary file for a pipe, a device or standard output.
    temporary: Option<File>,
    out: OutputFile,
}

impl NewGames {
    /// Opens the output, see [`OutputFile::create`]. Its name must not have the extension of another format.
    fn begin(path: &Path, force: ForceArgument) -> Result<Self, Failure> {
        require_extension("OUT", path, &["chg"])?;
        let out = OutputFile::create(path, force)?;
        let (file, temporary) = match out.as_file() {
            Some(file) => (file.try_clone(), None),
            None => {
                let file = tempfile::tempfile().context(path.display())?;
                (file.try_clone(), Some(file))
            }
        };
        Ok(Self {
            writer: GameWriter::new(file.context(path.display())?).context(path.display())?,
            temporary,
            out,
        })
    }

    /// Adds the games of an input file, or none of them if `write` fails.
    fn add<T>(
        &mut self,
        write: impl FnOnce(&mut GameWriter<File>) -> Result<T, Failure>,
    ) -> Result<T, Failure> {
        let name = self.out.name();
        let failure = |error: AppendError| Failure::of_output(&name, error);
        let file = self.writer.flush().map_err(failure)?;
        let end = file.stream_position().map_err(|error| failure(error.into()))?;
        let written = write(&mut self.writer);
        if written.is_err() {
            let file = self.writer.flush().map_err(failure)?;
            let cut = file.set_len(end);
            cut.and_then(|()| file.seek(SeekFrom::Start(end)))
                .map_err(|error| failure(error.into()))?;
        }
        written
    }

    /// Completes the output, see [`OutputFile::finish`]. Fails if `games`, the number of games in it, is 0.
    fn finish(mut self, games: u64) -> Result<(), Failure> {
        if games == 0 {
            let why = "there are no games to write";
            return Err(Failure::new(self.out.name(), why));
        }
        self.writer.flush().context(self.out.name())?;
        if let Some(mut file) = self.temporary {
            let copied = file.rewind().and_then(|()| io::copy(&mut file, &mut self.out));
            copied.context(self.out.name())?;
        }
        self.out.finish()
    }
}

/// Reports the number of games with an illegal move, of which only the positions before it are used.
pub fn warn_of_illegal_moves(path: &Path, games: u64) {
    if games > 0 {
        note(&format!("{}: games with an illegal move: {games}", path.display()));
    }
}

/// Reports the damaged parts of a file, which were left out.
pub fn warn_of_damage(path: &Path, damage: FileDamage) {
    if !damage.is_empty() {
        note(&format!("{}: {damage}", path.display()));
    }
}
