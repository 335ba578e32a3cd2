//! How a tournament stands while it is played, for other programs and for a browser.

use std::path::Path;
use std::time::Duration;

use indicatif::HumanDuration;

use super::table;
use crate::board::ByColor;
use crate::cli::common::Failure;
use crate::text::escape_html;
use crate::tournament::stats::Standings;
use crate::tournament::{GameSummary, JsonReport, Tournament, TournamentEnd};

/// The last games that are listed one by one.
const LAST_GAMES: usize = 50;
/// How often a browser loads the page again, in seconds.
const RELOAD: u32 = 10;

/// The standings for a file: a page if its name ends with `.html`, otherwise JSON. `left` is about how long
/// the games that are due will take.
///
/// # Errors
/// There are no words for them, which no standings bring about.
pub(super) fn text(
    path: &Path,
    tournament: &Tournament,
    standings: &Standings,
    games: &[GameSummary],
    end: Option<TournamentEnd>,
    left: Option<Duration>,
) -> Result<String, Failure> {
    let last = &games[games.len().saturating_sub(LAST_GAMES)..];
    let extension = path.extension().and_then(|extension| extension.to_str());
    if extension.is_some_and(|extension| extension.eq_ignore_ascii_case("html")) {
        return Ok(page(tournament, standings, last, end, left));
    }
    let report = JsonReport::new(tournament, standings, last, end, left);
    let text = serde_json::to_string_pretty(&report);
    Ok(text.map_err(|error| Failure::new("the status", error))? + "\n")
}

fn page(
    tournament: &Tournament,
    standings: &Standings,
    games: &[GameSummary],
    end: Option<TournamentEnd>,
    left: Option<Duration>,
) -> String {
    let title = escape_html(&tournament.event);
    let reload = match end {
        None => format!("<meta http-equiv=\"refresh\" content=\"{RELOAD}\">\n"),
        Some(_) => String::new(),
    };
    let mut count = match tournament.games_due() {
        Some(total) => format!("{} of {total} games", standings.games()),
        None => format!("{} games", standings.games()),
    };
    if let Some(left) = left {
        count += &format!(", about {:#} left", HumanDuration(left));
    }
    let name = |player: usize| escape_html(&tournament.engines[player].name);
    let rows = games.iter().rev().map(|game| {
        let ByColor([red, black]) = game.players.map(name);
        format!(
            "<tr><td>{}</td><td>{red}</td><td>{black}</td><td>{}</td><td>{}</td><td>{}</td></tr>\n",
            game.number + 1,
            game.result,
            game.reason,
            game.plies
        )
    });
    let rows: String = rows.collect();
    let table = escape_html(&table::status(tournament, standings, end.as_ref()));
    format!(
        "<!DOCTYPE html>\n<html lang=\"en\">\n<head>\n<meta charset=\"utf-8\">\n{reload}\
         <title>{title}: {count}</title>\n</head>\n<body>\n<h1>{title}</h1>\n<p>{count}</p>\n\
         <pre>{table}</pre>\n<table>\n<tr><th>game</th><th>red</th><th>black</th><th>result</th>\
         <th>reason</th><th>plies</th></tr>\n{rows}</table>\n</body>\n</html>\n"
    )
}
