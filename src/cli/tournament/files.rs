//! The files that a tournament writes.

use std::fs;
use std::io;
use std::path::PathBuf;

use super::arguments::Arguments;
use super::pgn_file::PgnFile;
use super::plot;
use crate::cli::Failure;
use crate::cli::output::OutputFile;
use crate::tournament::stats::Standings;
use crate::tournament::{End, GameRecord, GameSummary, Journal, Tournament, json_report};

/// The files of a tournament that is being played.
pub(super) struct Files {
    journal: Option<Journal>,
    pgn: Option<PgnFile>,
    json: Option<OutputFile>,
    plot: Option<OutputFile>,
}

/// The file of a report that is asked for.
fn report_file(path: Option<&PathBuf>) -> Result<Option<OutputFile>, Failure> {
    path.map(|path| OutputFile::open(path)).transpose()
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
            json: report_file(arguments.json.as_ref())?,
            plot: report_file(arguments.plot.as_ref())?,
        };
        let mut done = Vec::new();
        let pgn_length = match &arguments.pgn {
            Some(path) => fs::metadata(path).map_or(0, |file| file.len()),
            None => 0,
        };
        if let Some(path) = &arguments.resume {
            let pgn = arguments
                .pgn
                .as_ref()
                .map(|p| (p.display().to_string(), pgn_length));
            let (journal, games) = Journal::open(path, tournament, pgn)
                .map_err(|error| Failure::new(path.display(), error))?;
            files.journal = Some(journal);
            done = games;
        }
        if let Some(path) = &arguments.pgn {
            let notation = arguments.notation;
            let file = match &files.journal {
                Some(journal) => PgnFile::resume(path, notation, tournament, journal, &done),
                None => PgnFile::open(path, notation),
            };
            files.pgn = Some(file.map_err(|error| Failure::new(path.display(), error))?);
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
        match &mut self.pgn {
            Some(pgn) => pgn.write(tournament, record),
            None => Ok(()),
        }
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
