//! Conversion between game records and PGN games.

use super::end_reason::EndReason;
use super::plan::Tournament;
use super::record::{GameRecord, MoveRecord};
use super::stats::EngineStats;
use crate::board::ByColor;
use crate::notation::MoveStyle;
use crate::notation::fen::{self, FenError};
use crate::notation::pgn::PgnGame;

/// The PGN tag with the id of the match's journal.
pub const MATCH_ID: &str = "MatchId";

/// Converts a record to a PGN game. `date` has the form `2026.01.31`; `id` is the id of the journal.
pub fn pgn_game(
    tournament: &Tournament,
    record: &GameRecord,
    date: &str,
    id: Option<&str>,
    notation: MoveStyle,
) -> Result<PgnGame, FenError> {
    let ByColor([red, black]) = record.players.map(|number| &tournament.engines[number]);
    let round = tournament.schedule().round(record.number) + 1;
    let mut tags = vec![
        ("Event", tournament.event.clone()),
        ("Site", "?".to_owned()),
        ("Date", date.to_owned()),
        ("Round", format!("{round}.{}", record.number + 1)),
        ("Red", red.name.clone()),
        ("Black", black.name.clone()),
        ("Rules", tournament.rules.rules.to_string()),
        ("RedTimeControl", red.limit.to_string()),
        ("BlackTimeControl", black.limit.to_string()),
        ("PlyCount", record.moves.len().to_string()),
        ("Termination", record.reason.termination().to_owned()),
        ("Reason", record.reason.to_string()),
    ];
    if let Some(id) = id {
        tags.insert(1, (MATCH_ID, id.to_owned()));
    }
    if red.limit == black.limit {
        tags.push(("TimeControl", red.limit.to_string()));
    }
    if let Some(started) = record
        .started
        .and_then(|seconds| jiff::Timestamp::from_second(seconds).ok())
    {
        tags.push(("GameStartTime", started.to_string()));
    }
    if let Some(milliseconds) = record.duration_ms {
        let seconds = milliseconds.div_ceil(1000);
        let (hours, minutes) = (seconds / 3600, seconds / 60 % 60);
        tags.push((
            "GameDuration",
            format!("{hours:02}:{minutes:02}:{:02}", seconds % 60),
        ));
    }
    let ByColor([red_stats, black_stats]) = EngineStats::of_game(record);
    tags.extend([
        ("RedStatistics", red_stats.summary()),
        ("BlackStatistics", black_stats.summary()),
    ]);
    let ByColor([red_engine, black_engine]) = record.engines.each_ref();
    for (name, engine) in [("RedEngine", red_engine), ("BlackEngine", black_engine)] {
        tags.extend(engine.clone().map(|engine| (name, engine)));
    }
    if !record.detail.is_empty() {
        tags.push(("Detail", record.detail.clone()));
    }
    let tags = tags
        .into_iter()
        .map(|(name, value)| (name.to_owned(), value));
    let details = tournament.has_details.then_some(notation);
    record.pgn(tags.collect(), details)
}

/// Restores a record from a PGN game of the tournament. Data that PGN does not hold is missing.
pub fn record_of_pgn(tournament: &Tournament, game: &PgnGame) -> Option<GameRecord> {
    let (_, number) = game.tag("Round")?.split_once('.')?;
    let number = number.parse::<u64>().ok()?.checked_sub(1)?;
    let index = |name: Option<&str>| {
        let mut engines = tournament.engines.iter();
        engines.position(|engine| Some(engine.name.as_str()) == name)
    };
    let players = ByColor::new(index(game.tag("Red"))?, index(game.tag("Black"))?);
    // Later pairings of some formats depend on results.
    let fixture = tournament.schedule().fixture(number);
    if fixture.is_some_and(|fixture| fixture.players != players) {
        return None;
    }
    let mut reasons = EndReason::ALL.into_iter();
    let moves = game.line.moves.iter().zip(&game.comments);
    Some(GameRecord {
        number,
        players,
        start: fen::write_position(&game.line.start),
        moves: moves
            .map(|(played, comment)| MoveRecord::of_comment(*played, comment))
            .collect(),
        result: game.result,
        reason: reasons.find(|reason| game.tag("Reason") == Some(reason.name()))?,
        detail: game.tag("Detail").unwrap_or_default().to_owned(),
        overrun: ByColor::default(),
        started: None,
        duration_ms: None,
        engines: ByColor::new("RedEngine", "BlackEngine")
            .map(|name| game.tag(name).map(str::to_owned)),
    })
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::tournament::EngineScore;

    #[test]
    fn comments_are_parsed_back() {
        let played = "h2e2".parse().unwrap();
        let opening = MoveRecord::opening(played);
        assert_eq!(MoveRecord::of_comment(played, &opening.comment()), opening);
        for score in [
            None,
            Some(EngineScore::Units(-31)),
            Some(EngineScore::Units(7)),
            Some(EngineScore::Mate(3)),
            Some(EngineScore::Mate(-12)),
        ] {
            for depth in [None, Some(12)] {
                let record = MoveRecord {
                    score,
                    depth,
                    micros: Some(502_000),
                    ..opening.clone()
                };
                let comment = record.comment();
                assert_eq!(
                    MoveRecord::of_comment(played, &comment),
                    record,
                    "{comment}"
                );
            }
        }
        for comment in ["", "x", "+0.3", "/ s", "1/2 3", "+M/5 -1s", "?/? 1e400s"] {
            assert_eq!(
                MoveRecord::of_comment(played, comment),
                opening,
                "{comment}"
            );
        }
    }
}
