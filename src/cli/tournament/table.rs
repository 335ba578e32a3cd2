//! How a tournament stands, in words and tables.

use std::time::Duration;

use crate::cli::common::figures;
use crate::tournament::stats::{
    Decision, Estimate, Interval, Rating, Scores, SprtRun, Standings, ratings,
};
use crate::tournament::{Greeting, Tournament, TournamentEnd};

/// What is going to be played.
pub(super) fn heading(tournament: &Tournament, greetings: &[Greeting]) -> String {
    let mut text = String::new();
    for (engine, greeting) in tournament.engines.iter().zip(greetings) {
        let own_name = greeting.name.as_deref();
        let own_name = own_name.unwrap_or("no name of its own");
        let protocol = engine.protocol.unwrap_or_default();
        let protocol = protocol.to_string().to_uppercase();
        let found = match greeting.findings.is_empty() {
            true => String::new(),
            false => format!(" (found: {})", greeting.findings.join(", ")),
        };
        text += &format!(
            "{}: {own_name}, {protocol}, {}{found}\n",
            engine.name, engine.limit
        );
    }
    let games = match tournament.rounds {
        Some(_) => format!("{} games", tournament.schedule().games()),
        None => "games until the test decides".to_owned(),
    };
    text += &format!(
        "{games}, {} at a time, {} openings, {} rules\n",
        tournament.concurrency,
        tournament.openings.lines().len(),
        tournament.rules.rules
    );
    if let Some(sprt) = &tournament.sprt {
        text += &format!("SPRT: {sprt}\n");
    }
    text
}

/// The result so far: of two engines in wins, draws and losses, of more the points of each.
pub(super) fn running(tournament: &Tournament, standings: &Standings) -> String {
    if tournament.engines.len() == 2 {
        return record(&standings.of(0));
    }
    let mut order = ranking(tournament, standings);
    order.truncate(4);
    let points = |number: &usize| {
        let name = &tournament.engines[*number].name;
        let scores = standings.of(*number);
        let share = scores.estimate().map_or(0.0, |e| 100.0 * e.score);
        format!(
            "{name} {}/{} ({share:.0} %)",
            scores.points(),
            scores.count()
        )
    };
    order.iter().map(points).collect::<Vec<_>>().join(", ")
}

/// What the result of two engines is worth so far.
pub(super) fn short_estimate(standings: &Standings) -> String {
    if standings.figures().len() != 2 {
        return String::new();
    }
    let estimate = standings.of(0).estimate();
    // One side alone has won so far: that says nothing in numbers.
    let finite = estimate.filter(|e| {
        [e.elo.value, e.elo.low, e.elo.high]
            .iter()
            .all(|e| e.is_finite())
    });
    let elo = finite.map(|e| elo(&e.elo));
    let mut text = elo.map_or(String::new(), |elo| format!("  Elo {elo}"));
    if let Some(run) = &standings.sprt {
        let (lower, upper) = run.sprt().bounds();
        text += &format!("  LLR {:.2} ({lower:.2}, {upper:.2})", run.ratio());
    }
    text
}

/// The engines, the best first.
pub(super) fn ranking(tournament: &Tournament, standings: &Standings) -> Vec<usize> {
    let mut order: Vec<usize> = (0..tournament.engines.len()).collect();
    let score = |number: usize| standings.of(number).estimate().map_or(-1.0, |e| e.score);
    order.sort_by(|a, b| score(*b).total_cmp(&score(*a)));
    order
}

/// `+5 =3 -2`.
fn record(scores: &Scores) -> String {
    let [losses, draws, wins] = scores.games;
    format!("+{wins} ={draws} -{losses}")
}

/// `+12.5 [-3.1, +28.4]`.
pub(super) fn elo(interval: &Interval) -> String {
    let number = |elo: f64| match elo {
        e if e == f64::INFINITY => "+∞".to_owned(),
        e if e == f64::NEG_INFINITY => "-∞".to_owned(),
        e => format!("{e:+.1}"),
    };
    let Interval { value, low, high } = interval;
    format!("{} [{}, {}]", number(*value), number(*low), number(*high))
}

/// How the tournament stands.
///
/// Tables are no wider than `room`, where that is given.
pub(super) fn report(
    tournament: &Tournament,
    standings: &Standings,
    end: Option<&TournamentEnd>,
    room: Option<usize>,
) -> String {
    let mut text = format!("\n{}\n", end_in_words(tournament, end));
    if standings.games() == 0 {
        return text + "no games\n";
    }
    text += &match tournament.engines.len() {
        2 => duel(tournament, standings),
        _ => crosstable(tournament, standings, room),
    };
    text.push('\n');
    text += &engines(tournament, standings, room);
    let reasons = standings
        .reasons()
        .into_iter()
        .map(|(reason, n)| format!("{reason} {n}"));
    text += &format!(
        "ends: {}; {:.0} plies a game\n",
        reasons.collect::<Vec<_>>().join(", "),
        standings.mean_plies()
    );
    if standings.void_games > 0 {
        text += &format!(
            "void and played again because the machine stood still: {}\n",
            standings.void_games
        );
    }
    text
}

/// How a tournament stands that may not be over.
pub(super) fn status(
    tournament: &Tournament,
    standings: &Standings,
    end: Option<&TournamentEnd>,
) -> String {
    let text = report(tournament, standings, end, None);
    match end {
        None => text.replacen(BROKEN_OFF, "games are being played", 1),
        Some(_) => text,
    }
}

/// What is said of a tournament that has not come to an end.
const BROKEN_OFF: &str = "broken off";

/// What ended the tournament, in words.
fn end_in_words(tournament: &Tournament, end: Option<&TournamentEnd>) -> &'static str {
    match end {
        Some(TournamentEnd::Finished) if tournament.sprt.is_some() => {
            "all games played, nothing decided"
        }
        Some(TournamentEnd::Finished) => "all games played",
        Some(TournamentEnd::Decided) => "the test has decided",
        Some(TournamentEnd::Interrupted) => "interrupted",
        None => BROKEN_OFF,
    }
}

/// Two engines.
fn duel(tournament: &Tournament, standings: &Standings) -> String {
    let scores = standings.of(0);
    let [first, second] = [0, 1].map(|n| &tournament.engines[n].name);
    let Some(estimate) = scores.estimate() else {
        return String::new();
    };
    let Estimate {
        score,
        superiority,
        draw_ratio,
        ..
    } = estimate;
    let mut text = format!(
        "{first} against {second}: {} games, {}, {} points ({:.1} %)\n",
        scores.count(),
        record(&scores),
        scores.points(),
        100.0 * score
    );
    text += &format!("Elo             {}  (95 %)\n", elo(&estimate.elo));
    text += &format!("normalized Elo  {}\n", elo(&estimate.normalized_elo));
    text += &format!("superiority     {:.1} %\n", 100.0 * superiority);
    text += &format!("draws           {:.1} %\n", 100.0 * draw_ratio);
    let pairs = scores.pairs.map(|n| n.to_string()).join(" ");
    text += &format!("pairs           {pairs}  (of 0, ½, 1, 1½, 2 points)\n");
    if let Some(run) = &standings.sprt {
        text += &sprt(run);
    }
    text
}

fn sprt(run: &SprtRun) -> String {
    let (lower, upper) = run.sprt().bounds();
    let decision = match run.decision() {
        None => "not decided".to_owned(),
        Some(Decision::H0) => format!("H0: {} or less", run.sprt().elo0),
        Some(Decision::H1) => format!("H1: {} or more", run.sprt().elo1),
    };
    format!(
        "SPRT            {}\nLLR             {:.2} ({lower:.2}, {upper:.2}) after {} pairs: {decision}\n",
        run.sprt(),
        run.ratio(),
        run.pairs().iter().sum::<u64>()
    )
}

/// More than two engines: each one's sum and what it has scored against each other.
fn crosstable(tournament: &Tournament, standings: &Standings, room: Option<usize>) -> String {
    let order = ranking(tournament, standings);
    let ratings = ratings(standings);
    let heads = [
        "",
        "games",
        "+",
        "=",
        "-",
        "points",
        "%",
        "Elo (95 %)",
        "rating",
    ];
    let mut rows = vec![heads.map(str::to_owned).to_vec()];
    rows[0].extend((1..=order.len()).map(|rank| rank.to_string()));
    for (rank, number) in (1..).zip(&order) {
        let scores = standings.of(*number);
        let [losses, draws, wins] = scores.games;
        let mut row = vec![
            format!("{rank} {}", tournament.engines[*number].name),
            scores.count().to_string(),
            wins.to_string(),
            draws.to_string(),
            losses.to_string(),
            scores.points().to_string(),
        ];
        match scores.estimate() {
            Some(e) => row.extend([format!("{:.1}", 100.0 * e.score), elo(&e.elo)]),
            None => row.extend([String::new(), String::new()]),
        }
        let Rating { value, error } = ratings[*number];
        row.push(format!("{value:+.0} ± {error:.0}"));
        row.extend(
            order
                .iter()
                .map(|other| match standings.between(*number, *other) {
                    Some(scores) => format!("{}/{}", scores.points(), scores.count()),
                    None => "·".to_owned(),
                }),
        );
        rows.push(row);
    }
    figures(&rows, room)
        + "rating: most likely of all results together, 0 on average, with 95 % error\n"
}

/// Time, depth, speed and faults of each engine.
fn engines(tournament: &Tournament, standings: &Standings, room: Option<usize>) -> String {
    let heads = [
        "", "moves", "time", "ms/move", "depth", "nodes/s", "overrun", "illegal", "late", "crashed",
    ];
    let mut rows = vec![heads.map(str::to_owned).to_vec()];
    let or_none = |text: Option<String>| text.unwrap_or_else(|| "?".to_owned());
    let ms = |time: Duration| format!("{:.1}", time.as_secs_f64() * 1e3);
    for (engine, f) in tournament.engines.iter().zip(standings.figures()) {
        rows.push(vec![
            engine.name.clone(),
            f.moves.to_string(),
            format!("{:.1} s", f.time.as_secs_f64()),
            or_none(f.mean_time().map(ms)),
            or_none(f.mean_depth().map(|d| format!("{d:.1}"))),
            or_none(f.speed().map(|n| format!("{n:.0}"))),
            f.overrun
                .map_or("-".to_owned(), |o| format!("{} ms", ms(o))),
            f.illegal.to_string(),
            f.late.to_string(),
            f.crashes.to_string(),
        ]);
    }
    figures(&rows, room)
}
