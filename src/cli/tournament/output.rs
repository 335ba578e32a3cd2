//! The output of a match: journal, PGN, EPD, status and report files, and progress on the terminal.

use std::collections::{HashSet, VecDeque};
use std::fs::{self, File};
use std::io::{self, IsTerminal, Write};
use std::path::{Path, PathBuf};
use std::time::{Duration, Instant};

use indicatif::{ProgressBar, ProgressDrawTarget};

use super::arguments::Arguments;
use super::pgn_file::{PgnFile, append, open_to_append};
use super::{plot, report};
use crate::board::ByColor;
use crate::cli::common::{
    Context, Failure, OutputFile, canonical_path, ignore_closed_pipe, plies_text, refuse_if,
    register_bar, require_not_stdout, translated,
};
use crate::notation::epd::operand_text;
use crate::notation::pgn::is_tag_line;
use crate::notation::{MoveStyle, fen};
use crate::text::{first_bytes, printable, require_regular, without_byte_order_mark};
use crate::tournament::stats::Standings;
use crate::tournament::{
    GameRecord, GameSummary, Journal, JournalContent, JsonReport, Tournament, TournamentEnd,
    TournamentEvent, is_journal, tree_of_record,
};

pub struct OutputFiles<'a> {
    arguments: &'a Arguments,
    journal: Option<Journal>,
    pgn: Option<PgnFile>,
    json: Option<OutputFile>,
    plot: Option<OutputFile>,
    epd: Option<File>,
}

impl<'a> OutputFiles<'a> {
    /// Opens the files, and returns the content of the journal.
    pub fn open(
        arguments: &'a Arguments,
        tournament: &Tournament,
    ) -> Result<(Self, JournalContent), Failure> {
        if let Some(path) = &arguments.pgn {
            require_appendable("--pgn", path, "a PGN", may_begin_pgn)?;
        }
        if let Some(path) = &arguments.epd {
            require_appendable("--epd", path, "an EPD file", may_begin_epd)?;
        }
        for path in &arguments.status {
            require_not_stdout("--status", path)?;
            require_no_journal(path)?;
            // Checks that the file can be written. A pipe is not opened before there is a text to write, because its
            // reader sees the end of the input when the pipe is closed.
            if require_regular(path).is_ok() || path.is_dir() {
                OutputFile::open(path)?;
            }
        }
        // The reports of a resumed match may exist already; they are overwritten.
        let mut force = arguments.force;
        force.force |= arguments.resume.as_deref().is_some_and(Path::exists);
        let report_file = |path: &PathBuf| {
            require_no_journal(path)?;
            OutputFile::create(path, force)
        };
        let mut files = Self {
            arguments,
            journal: None,
            pgn: None,
            json: arguments.json.as_ref().map(report_file).transpose()?,
            plot: arguments.plot.as_ref().map(report_file).transpose()?,
            epd: None,
        };
        let mut content = JournalContent::default();
        if let Some(path) = &arguments.resume {
            require_not_stdout("--resume", path)?;
            let pgn = arguments.pgn.as_ref().map(|pgn| {
                let length = fs::metadata(pgn).map_or(0, |file| file.len());
                (canonical_path(pgn).display().to_string(), length)
            });
            let opened = Journal::open(path, tournament, pgn, arguments.on_damage());
            let (journal, read) = opened.context(path.display())?;
            files.journal = Some(journal);
            content = read;
        }
        if let Some(path) = &arguments.pgn {
            let opened = files.open_pgn(path, tournament, &content.games);
            files.pgn = Some(opened.context(path.display())?);
        }
        if let Some(path) = &arguments.epd {
            let opened = open_epd(path, tournament, &content.games);
            files.epd = Some(opened.context(path.display())?);
        }
        Ok((files, content))
    }

    /// Whether a report is written to standard output. Nothing else is then printed there.
    pub fn uses_stdout(&self) -> bool {
        let mut reports = self.json.iter().chain(&self.plot);
        reports.any(OutputFile::is_stdout)
    }

    fn open_pgn(
        &self,
        path: &Path,
        tournament: &Tournament,
        games: &[GameRecord],
    ) -> io::Result<PgnFile> {
        let notation = self.arguments.notation;
        let Some(journal) = &self.journal else {
            return PgnFile::open(path, notation, None);
        };
        let (pgn, warnings) = PgnFile::resume(path, notation, tournament, journal, games)?;
        for warning in warnings {
            Failure::new(path.display(), warning).report();
        }
        Ok(pgn)
    }

    /// Writes an event, to the journal first, so that a crash of the program leaves no game that only the PGN has.
    fn add(&mut self, tournament: &Tournament, event: &TournamentEvent) -> Result<(), Failure> {
        let Arguments { resume, pgn, epd, .. } = self.arguments;
        if let (Some(journal), Some(path)) = (&mut self.journal, resume) {
            let added = match event {
                TournamentEvent::Game(record) => journal.add(record),
                TournamentEvent::Void { number, detail } => journal.add_void(*number, detail),
            };
            added.context(path.display())?;
        }
        let TournamentEvent::Game(record) = event else {
            return Ok(());
        };
        if let (Some(file), Some(path)) = (&mut self.pgn, pgn) {
            file.write(tournament, record).context(path.display())?;
        }
        if let (Some(file), Some(path)) = (&mut self.epd, epd) {
            let line = final_position(tournament, record);
            let written = line.and_then(|line| append(file, line.as_bytes()));
            written.context(path.display())?;
        }
        Ok(())
    }
}

/// All output of a running match.
pub struct MatchOutput<'a> {
    tournament: &'a Tournament,
    files: OutputFiles<'a>,
    games: Vec<GameSummary>,
    /// The numbers and PGN of the last games, for the status page.
    recent: VecDeque<(u64, String)>,
    /// `None` if standard output or standard error is not a terminal.
    bar: Option<ProgressBar>,
    started: Instant,
    /// The number of games of earlier runs.
    games_before: u64,
}

impl<'a> MatchOutput<'a> {
    /// Starts the output of a match and writes the first status. `games` are the games of earlier runs.
    pub fn new(
        tournament: &'a Tournament,
        files: OutputFiles<'a>,
        games: Vec<GameSummary>,
        standings: &Standings,
    ) -> Result<Self, Failure> {
        let is_terminal = io::stdout().is_terminal() && io::stderr().is_terminal();
        let output = Self {
            tournament,
            files,
            started: Instant::now(),
            games_before: games.len() as u64,
            games,
            recent: VecDeque::new(),
            bar: is_terminal.then(|| progress_bar(tournament, standings)),
        };
        output.write_status(standings, None)?;
        Ok(output)
    }

    pub fn games(&self) -> &[GameSummary] {
        &self.games
    }

    /// Keeps a game as PGN for the status page if there is a status file.
    fn keep_recent(&mut self, record: &GameRecord) -> io::Result<()> {
        if self.files.arguments.status.is_empty() {
            return Ok(());
        }
        let game = tree_of_record(self.tournament, record, None, MoveStyle::Chinese);
        let game = game.map_err(io::Error::other)?;
        if self.recent.len() == report::RECENT_GAMES {
            self.recent.pop_front();
        }
        let text = game.write_pgn(MoveStyle::Chinese);
        self.recent.push_back((record.number, text));
        Ok(())
    }

    pub fn write(&mut self, standings: &Standings, event: &TournamentEvent) -> io::Result<()> {
        let error = |failure: Failure| io::Error::other(failure.text);
        self.files.add(self.tournament, event).map_err(error)?;
        if let TournamentEvent::Game(record) = event {
            self.games.push(record.into());
            self.keep_recent(record)?;
        }
        self.write_status(standings, None).map_err(error)?;
        match event {
            TournamentEvent::Game(record) => self.show_game(standings, record),
            TournamentEvent::Void { number, detail } => {
                let line = format!("game {}: void, {detail}; it is replayed", number + 1);
                match &self.bar {
                    Some(bar) => {
                        bar.println(translated(&line));
                        Ok(())
                    }
                    None => self.print_line(&line),
                }
            }
        }
    }

    fn show_game(&self, standings: &Standings, record: &GameRecord) -> io::Result<()> {
        let line = game_line(self.tournament, record);
        let summary = report::summary(self.tournament, standings);
        if let Some(bar) = &self.bar {
            bar.set_position(standings.games());
            bar.set_message(summary);
            // The bar itself shows the number of games; only games lost by forfeit get a line of their own.
            if record.reason.is_forfeit() {
                bar.println(line);
            }
            return Ok(());
        }
        let games = match self.tournament.total_games() {
            Some(total) => format!("{}/{total}", standings.games()),
            None => standings.games().to_string(),
        };
        self.print_line(&format!("{games}  {line}  {summary}"))
    }

    fn print_line(&self, line: &str) -> io::Result<()> {
        if self.files.uses_stdout() {
            return Ok(());
        }
        let printed = writeln!(io::stdout(), "{}", translated(line)).or_else(ignore_closed_pipe);
        printed.map_err(|error| io::Error::other(format!("standard output: {error}")))
    }

    /// Removes the progress bar and writes the final status, JSON report and plot. After an error, the other files are
    /// written as well.
    pub fn finish(mut self, standings: &Standings, end: TournamentEnd) -> [Result<(), Failure>; 3] {
        if let Some(bar) = &self.bar {
            bar.finish_and_clear();
        }
        self.games.sort_by_key(|game| game.number);
        let status = self.write_status(standings, Some(end));
        let json = self.files.json.map_or(Ok(()), |file| {
            let report = JsonReport::new(self.tournament, standings, &self.games, Some(end), None);
            let text = serde_json::to_string_pretty(&report).context("--json")?;
            file.write(text + "\n")
        });
        let plot = self.files.plot.map_or(Ok(()), |file| {
            let picture = plot::draw(self.tournament, standings, &self.games);
            file.write(picture.context("the plot")?)
        });
        [status, json, plot]
    }

    fn write_status(
        &self,
        standings: &Standings,
        end: Option<TournamentEnd>,
    ) -> Result<(), Failure> {
        let arguments = self.files.arguments;
        let pgn = arguments.pgn.as_deref().map(canonical_path);
        let left = match end {
            None => self.time_left(standings.games()),
            Some(_) => None,
        };
        let status = report::Status {
            tournament: self.tournament,
            standings,
            games: &self.games,
            recent: &self.recent,
            pgn: pgn.as_deref(),
            end,
            left,
        };
        for path in &arguments.status {
            let text = status.text(path, &canonical_path(path))?;
            OutputFile::open(path)?.write(&text)?;
        }
        Ok(())
    }

    /// Estimated time for the remaining games at the speed of this run; `None` before its first game, and if only the
    /// SPRT ends the match.
    fn time_left(&self, played: u64) -> Option<Duration> {
        let in_this_run = u32::try_from(played.saturating_sub(self.games_before)).ok()?;
        let left = self.tournament.total_games()?.saturating_sub(played);
        self.started.elapsed().checked_div(in_this_run)?.checked_mul(u32::try_from(left).ok()?)
    }
}

fn progress_bar(tournament: &Tournament, standings: &Standings) -> ProgressBar {
    let total = tournament.total_games();
    let bar = ProgressBar::with_draw_target(total, ProgressDrawTarget::stderr());
    let bar = match total {
        Some(_) => register_bar(bar, "{bar:12} {pos}/{len}  {msg}  {left} left"),
        None => register_bar(bar, "{spinner} {pos} games, {msg}, {elapsed}"),
    };
    bar.set_position(standings.games());
    bar.reset_eta();
    bar.enable_steady_tick(Duration::from_millis(200));
    bar
}

fn game_line(tournament: &Tournament, record: &GameRecord) -> String {
    let ByColor([red, black]) = record.players.map(|number| &tournament.engines[number].name);
    let detail = match record.detail.as_str() {
        "" => String::new(),
        detail => format!(" [{}]", translated(&printable(detail))),
    };
    let line = format!(
        "game {}: {red} - {black}  {}  {}{detail}, {}",
        record.number + 1,
        record.result,
        translated(record.reason.name()),
        plies_text(record.moves.len())
    );
    translated(&line).into_owned()
}

/// Opens or creates the file of final positions, and adds those of the resumed `games` that it lacks. If no games are
/// resumed, the file is not read, because its lines belong to another match.
fn open_epd(path: &Path, tournament: &Tournament, games: &[GameRecord]) -> io::Result<File> {
    let lines = games.iter().map(|game| final_position(tournament, game));
    let lines = lines.collect::<io::Result<Vec<_>>>()?;
    let mut bytes = if !lines.is_empty() && path.exists() { fs::read(path)? } else { Vec::new() };
    let end = bytes.iter().rposition(|byte| *byte == b'\n').map_or(0, |at| at + 1);
    // An interrupted run may have written only a part of its last line.
    let is_cut = |line: &String| line.as_bytes().starts_with(&bytes[end..]);
    if end < bytes.len() && lines.iter().any(is_cut) {
        File::options().write(true).open(path)?.set_len(end as u64)?;
        bytes.truncate(end);
    }
    let mut file = open_to_append(path, 1)?;
    // An editor may have added a byte order mark or changed the line ends.
    let text = String::from_utf8_lossy(&bytes);
    let present: HashSet<&str> = without_byte_order_mark(&text).lines().collect();
    for line in lines.iter().filter(|line| !present.contains(line.trim_end())) {
        append(&mut file, line.as_bytes())?;
    }
    Ok(file)
}

/// The final position of a game as a line of EPD.
fn final_position(tournament: &Tournament, record: &GameRecord) -> io::Result<String> {
    let start = fen::parse_position(&record.start).map_err(io::Error::other)?;
    let position = start.after_all(record.moves.iter().map(|m| m.played));
    let ByColor([red, black]) =
        record.players.map(|player| operand_text(&tournament.engines[player].name));
    Ok(format!(
        "{} - - id \"game {}: {red} - {black}\"; c0 \"{} {}\";\n",
        fen::write_board_and_side(&position.setup()),
        record.number + 1,
        record.result,
        record.reason
    ))
}

/// Returns an error if a file is the journal of a match, which must not be overwritten.
fn require_no_journal(path: &Path) -> Result<(), Failure> {
    let why = "the file is the journal of a match and is not overwritten";
    refuse_if(is_journal(path), path.display(), why)
}

/// Returns an error if games or positions cannot be appended to a file: it is `-`, or it exists and is not a regular
/// file, is a journal, or its first line, apart from comments, does not have the right format.
fn require_appendable(
    option: &str,
    path: &Path,
    format: &str,
    has_format: fn(&str) -> bool,
) -> Result<(), Failure> {
    /// The number of bytes that are examined.
    const BEGINNING: usize = 4096;
    require_not_stdout(option, path)?;
    require_regular(path).map_err(|error| Failure::usage(path.display(), error))?;
    require_no_journal(path)?;
    // A missing file is created later; other errors are found when it is opened to append to it.
    let beginning = first_bytes(path, BEGINNING);
    let beginning = String::from_utf8_lossy(&beginning);
    let mut lines = without_byte_order_mark(&beginning).lines().map(str::trim);
    let first = lines.find(|line| !line.is_empty() && !line.starts_with([';', '%', '#']));
    let why = format!("the file exists and is not {format}, so nothing is added to it");
    refuse_if(first.is_some_and(|line| !has_format(line)), path.display(), why)
}

/// Whether a line may be the first of a PGN: it is a tag, or a tag that an interrupted run has cut.
fn may_begin_pgn(line: &str) -> bool {
    is_tag_line(line) || line.starts_with('[') && !line.contains(']')
}

/// Whether a line may be the first of an EPD file: its first word has only the characters of a FEN.
fn may_begin_epd(line: &str) -> bool {
    let is_of_board = |c: char| c.is_ascii_digit() || "/KABNRCPEH".contains(c.to_ascii_uppercase());
    let word = line.split_whitespace().next().unwrap_or_default();
    // An empty pocket.
    let word = ["[]", "[-]"].iter().find_map(|end| word.strip_suffix(end)).unwrap_or(word);
    word.contains('/') && word.chars().all(is_of_board)
}
