//! The files that a tournament writes.

use std::fs::{self, File};
use std::io::{self, Seek, SeekFrom, Write};
use std::path::PathBuf;

use super::arguments::Arguments;
use super::plot;
use crate::cli::Failure;
use crate::notation::MoveStyle;
use crate::tournament::stats::Standings;
use crate::tournament::{End, GameRecord, GameSummary, Journal, Tournament, json_report, pgn_game};

/// The files of a tournament that is being played.
pub(super) struct Files {
    journal: Option<Journal>,
    pgn: Option<File>,
    notation: MoveStyle,
    date: String,
    json: Option<Report>,
    plot: Option<Report>,
}

/// A file that is written at the end, and opened at the beginning lest all that is played be lost
/// on a path that cannot be written.
struct Report {
    path: PathBuf,
    file: File,
}

impl Report {
    fn open(path: Option<&PathBuf>) -> Result<Option<Self>, Failure> {
        let Some(path) = path.cloned() else {
            return Ok(None);
        };
        let mut options = File::options();
        options.write(true).create(true).truncate(false);
        match options.open(&path) {
            Ok(file) => Ok(Some(Self { path, file })),
            Err(error) => Err(Failure::new(path.display(), error)),
        }
    }

    fn write(mut self, text: &str) -> Result<(), Failure> {
        self.file
            .set_len(0)
            .and_then(|()| self.file.write_all(text.as_bytes()))
            .map_err(|error| Failure::new(self.path.display(), error))
    }
}

impl Files {
    /// Opens the files, and returns the games played before.
    ///
    /// # Errors
    /// A file cannot be read or written, or is that of another tournament.
    pub(super) fn open(
        arguments: &Arguments,
        tournament: &Tournament,
    ) -> Result<(Self, Vec<GameRecord>), Failure> {
        let mut files = Self {
            journal: None,
            pgn: None,
            notation: arguments.notation,
            date: today(),
            json: Report::open(arguments.json.as_ref())?,
            plot: Report::open(arguments.plot.as_ref())?,
        };
        let mut done = Vec::new();
        let pgn_length = match &arguments.pgn {
            Some(path) => fs::metadata(path).map_or(0, |file| file.len()),
            None => 0,
        };
        let mut kept = pgn_length;
        if let Some(path) = &arguments.resume {
            let pgn = arguments
                .pgn
                .as_ref()
                .map(|p| (p.display().to_string(), pgn_length));
            let (journal, games) = Journal::open(path, tournament, pgn)
                .map_err(|error| Failure::new(path.display(), error))?;
            // What the killed run has written is written again, so that no game is there twice or
            // in part.
            kept = journal.pgn_length().min(pgn_length);
            files.journal = Some(journal);
            done = games;
        }
        if let Some(path) = &arguments.pgn {
            let fault = |error: io::Error| Failure::new(path.display(), error);
            let mut file = File::options()
                .write(true)
                .create(true)
                .truncate(false)
                .open(path)
                .map_err(fault)?;
            file.set_len(kept).map_err(fault)?;
            file.seek(SeekFrom::End(0)).map_err(fault)?;
            files.pgn = Some(file);
            for record in &done {
                files.write_pgn(tournament, record).map_err(fault)?;
            }
        }
        Ok((files, done))
    }

    /// Takes in a game.
    ///
    /// # Errors
    /// A file cannot be written.
    pub(super) fn add(&mut self, tournament: &Tournament, record: &GameRecord) -> io::Result<()> {
        if let Some(journal) = &mut self.journal {
            journal.add(record)?;
        }
        self.write_pgn(tournament, record)
    }

    fn write_pgn(&mut self, tournament: &Tournament, record: &GameRecord) -> io::Result<()> {
        let Some(file) = &mut self.pgn else {
            return Ok(());
        };
        let game = pgn_game(tournament, record, &self.date).map_err(io::Error::other)?;
        file.write_all(game.write(self.notation).as_bytes())
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
        end: End,
    ) -> Result<(), Failure> {
        if let Some(json) = self.json {
            let report = json_report(tournament, standings, games, end);
            json.write(&format!("{report:#}\n"))?;
        }
        if let Some(plot) = self.plot {
            plot.write(&plot::draw(tournament, standings)?)?;
        }
        Ok(())
    }
}

/// The date (UTC) as PGN has it.
fn today() -> String {
    jiff::Timestamp::now().strftime("%Y.%m.%d").to_string()
}
