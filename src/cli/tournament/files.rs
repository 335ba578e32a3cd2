//! The files that a tournament writes.

use std::fs::{self, File};
use std::io::{self, Write};
use std::path::{Path, PathBuf};
use std::time::{Duration, Instant};

use super::arguments::Arguments;
use super::pgn_file::PgnFile;
use super::{plot, status};
use crate::board::ByColor;
use crate::cli::common::{Failure, OutputFile};
use crate::notation::fen;
use crate::tournament::stats::Standings;
use crate::tournament::{
    GameRecord, GameSummary, Journal, JournalContent, JsonReport, Tournament, TournamentEnd,
    TournamentEvent, is_journal,
};

/// The files of a tournament that is being played.
pub(super) struct Files {
    journal: Option<Journal>,
    pgn: Option<PgnFile>,
    json: Option<OutputFile>,
    plot: Option<OutputFile>,
    epd: Option<File>,
    status: Vec<PathBuf>,
    /// When this run of the program began, and how many games had been played then.
    begun: (Instant, u64),
}

/// The file of a report that is asked for.
fn report_file(path: Option<&PathBuf>) -> Result<Option<OutputFile>, Failure> {
    path.map(|path| {
        require_no_journal(path)?;
        OutputFile::open(path)
    })
    .transpose()
}

/// Refuses to write a report over the journal of a tournament.
fn require_no_journal(path: &Path) -> Result<(), Failure> {
    match is_journal(path) {
        true => Err(Failure::usage(
            path.display(),
            "this is the journal of a tournament",
        )),
        false => Ok(()),
    }
}

/// Refuses a path that names something else than a file.
fn require_file(path: &Path) -> Result<(), Failure> {
    match fs::metadata(path) {
        Ok(data) if !data.is_file() => {
            Err(Failure::usage(path.display(), "this is no regular file"))
        }
        _ => Ok(()),
    }
}

/// What tells one file from another, whatever path leads to it.
fn identity(path: &Path) -> PathBuf {
    let beside = || {
        let parent = path.parent().filter(|parent| *parent != Path::new(""));
        let parent = parent.unwrap_or(Path::new(".")).canonicalize().ok()?;
        Some(parent.join(path.file_name()?))
    };
    let file = path.canonicalize().ok().or_else(beside);
    file.unwrap_or_else(|| path.to_owned())
}

/// Refuses files of which one would be written over another.
///
/// # Errors
/// Names two options with the same file.
pub(super) fn require_different(arguments: &Arguments) -> Result<(), Failure> {
    let files = arguments.files();
    for (index, (option, path)) in files.iter().enumerate() {
        let is_special = fs::metadata(path).is_ok_and(|data| !data.is_file());
        let mut others = files[..index].iter();
        if !is_special
            && let Some((other, _)) = others.find(|(_, other)| identity(other) == identity(path))
        {
            let why = format!("{} is the file of {other} as well", path.display());
            return Err(Failure::usage(option, why));
        }
    }
    Ok(())
}

impl Files {
    /// Opens the files, and returns what was played before.
    ///
    /// # Errors
    /// A file cannot be read or written, is that of another tournament, or is meant for two things.
    pub(super) fn open(
        arguments: &Arguments,
        tournament: &Tournament,
    ) -> Result<(Self, JournalContent), Failure> {
        arguments.pgn.as_deref().map_or(Ok(()), require_file)?;
        for path in &arguments.status {
            require_no_journal(path)?;
        }
        let mut files = Self {
            journal: None,
            pgn: None,
            json: report_file(arguments.json.as_ref())?,
            plot: report_file(arguments.plot.as_ref())?,
            epd: None,
            status: arguments.status.clone(),
            begun: (Instant::now(), 0),
        };
        if let Some(path) = &arguments.epd {
            require_file(path)?;
            let epd = File::options().append(true).create(true).open(path);
            files.epd = Some(epd.map_err(|error| Failure::new(path.display(), error))?);
        }
        let mut content = JournalContent::default();
        let pgn_length = match &arguments.pgn {
            Some(path) => fs::metadata(path).map_or(0, |file| file.len()),
            None => 0,
        };
        if let Some(path) = &arguments.resume {
            let pgn = arguments.pgn.as_ref();
            let pgn = pgn.map(|path| (identity(path).display().to_string(), pgn_length));
            let fault = |error: &dyn std::fmt::Display| Failure::new(path.display(), error);
            let opened = Journal::open(path, tournament, pgn, arguments.damage());
            let (journal, read) = opened.map_err(|error| fault(&error))?;
            files.journal = Some(journal);
            content = read;
        }
        if let Some(path) = &arguments.pgn {
            files
                .open_pgn(path, arguments, tournament, &mut content)
                .map_err(|error| Failure::new(path.display(), error))?;
        }
        files.begun.1 = content.games.len() as u64;
        Ok((files, content))
    }

    fn open_pgn(
        &mut self,
        path: &Path,
        arguments: &Arguments,
        tournament: &Tournament,
        content: &mut JournalContent,
    ) -> io::Result<()> {
        let notation = arguments.notation;
        let Some(journal) = &mut self.journal else {
            self.pgn = Some(PgnFile::open(path, notation, None)?);
            return Ok(());
        };
        let games = &mut content.games;
        let (pgn, recovered) = PgnFile::resume(path, notation, tournament, journal, games)?;
        for record in recovered.games {
            let note = format_args!(
                "game {} was lost from the journal and is taken from here",
                record.number + 1
            );
            Failure::new(path.display(), note).report();
            journal.add(&record)?;
            games.push(record);
        }
        for note in recovered.notes {
            Failure::new(path.display(), note).report();
        }
        self.pgn = Some(pgn);
        Ok(())
    }

    /// Takes in what happens: first of all the journal, which must never be behind the PGN.
    ///
    /// # Errors
    /// A file cannot be written.
    pub(super) fn add(
        &mut self,
        tournament: &Tournament,
        event: TournamentEvent<'_>,
    ) -> io::Result<()> {
        let record = match event {
            TournamentEvent::Game(record) => record,
            TournamentEvent::Void { number, detail } => {
                let journal = self.journal.as_mut();
                return journal.map_or(Ok(()), |journal| journal.add_void(number, detail));
            }
        };
        if let Some(journal) = &mut self.journal {
            journal.add(record)?;
        }
        if let Some(pgn) = &mut self.pgn {
            pgn.write(tournament, record)?;
        }
        match &mut self.epd {
            Some(epd) => epd.write_all(end_position(tournament, record)?.as_bytes()),
            None => Ok(()),
        }
    }

    /// How long the games that are due will take at the pace of this run; `None` before its first one.
    fn time_left(&self, tournament: &Tournament, played: u64) -> Option<Duration> {
        let (begun, before) = self.begun;
        let now = u32::try_from(played.saturating_sub(before)).ok()?;
        let left = u32::try_from(tournament.games_due()?.saturating_sub(played)).ok()?;
        begun.elapsed().checked_div(now)?.checked_mul(left)
    }

    /// Replaces the files that tell how the tournament stands.
    ///
    /// # Errors
    /// A file cannot be written.
    pub(super) fn write_status(
        &self,
        tournament: &Tournament,
        standings: &Standings,
        games: &[GameSummary],
        end: Option<TournamentEnd>,
    ) -> Result<(), Failure> {
        let left = match end {
            None => self.time_left(tournament, standings.games()),
            Some(_) => None,
        };
        for path in &self.status {
            let text = status::text(path, tournament, standings, games, end, left)?;
            OutputFile::open(path)?.write(&text)?;
        }
        Ok(())
    }

    /// Writes what is asked for at the end.
    ///
    /// # Errors
    /// A file cannot be written.
    pub(super) fn report(
        self,
        tournament: &Tournament,
        standings: &Standings,
        games: &[GameSummary],
        end: TournamentEnd,
    ) -> Result<(), Failure> {
        if let Some(json) = self.json {
            let report = JsonReport::new(tournament, standings, games, Some(end), None);
            let text = serde_json::to_string_pretty(&report);
            json.write(&(text.map_err(|error| Failure::new("the report", error))? + "\n"))?;
        }
        if let Some(plot) = self.plot {
            plot.write(&plot::draw(tournament, standings, games)?)?;
        }
        Ok(())
    }
}

/// The position in which a game ended, as a line of EPD.
fn end_position(tournament: &Tournament, record: &GameRecord) -> io::Result<String> {
    let mut position = fen::parse_position(&record.start).map_err(io::Error::other)?;
    for played in &record.moves {
        position.make(played.played);
    }
    let ByColor([red, black]) = record
        .players
        .map(|player| tournament.engines[player].name.replace(['"', ';'], "'"));
    let fen = fen::write_position(&position);
    let fields: Vec<&str> = fen.split(' ').take(4).collect();
    Ok(format!(
        "{} id \"game {}: {red} - {black}\"; c0 \"{} {}\";\n",
        fields.join(" "),
        record.number + 1,
        record.result,
        record.reason
    ))
}
