//! Any lines in any order: the session answers, and refused ones change nothing.

use proptest::prelude::*;

use super::tests::{TestSession, done};
use crate::notation::fen;

/// FENs, cut and bent.
fn half_fen() -> impl Strategy<Value = String> {
    let fen = prop_oneof![
        Just(fen::START.to_owned()),
        Just("3k1a3/9/9/9/9/9/9/9/4A4/4K1R1r w - - 0 1".to_owned()),
        Just("4k4/9/9/9/9/9/9/9/9/4K4 b".to_owned()),
    ];
    (fen, any::<prop::sample::Index>(), "[ -~]{0,4}", 0..3u8).prop_map(|(fen, at, junk, how)| {
        let at = at.index(fen.len());
        let (head, tail) = fen.split_at(at);
        match how {
            0 => head.to_owned(),
            1 => format!("{head}{junk}{tail}"),
            _ => tail.to_owned(),
        }
    })
}

fn line() -> impl Strategy<Value = String> {
    let moves = prop::collection::vec("[a-i][0-9][a-i][0-9]|[a-z0-9-]{0,6}", 0..4)
        .prop_map(|moves| moves.join(" "));
    prop_oneof![
        (half_fen(), moves.clone())
            .prop_map(|(fen, moves)| format!("position fen {fen} moves {moves}")),
        half_fen().prop_map(|fen| format!("position fen {fen}")),
        moves
            .clone()
            .prop_map(|moves| format!("position startpos moves {moves}")),
        moves.clone().prop_map(|moves| format!("banmoves {moves}")),
        half_fen().prop_map(|fen| format!("probe fen {fen}")),
        "setoption (multipv|style|promotion|x) [ -~]{0,20}",
        "go (depth|nodes) [a-z]{1,5}",
        "go (depht|nods|tme|movtime) [0-9]{1,9}( [a-z]{4})?",
        "position startpos moves (炮二平五|马8进7|C2=5|h8+7|前炮退一|[一-九兵车炮]{4})( 马8进7)?",
        "banmoves (炮二平五|h2e2|C2=5|[一-九兵车炮]{4})( h2e2){0,3}",
        "ponderhit( draw)?",
        "stop|isready|ucci|uci|[ -~]{0,30}",
        "\\PC{0,40}",
    ]
}

proptest! {
    /// After any line the board is as it was, or what a line that was accepted says, or nothing.
    #[test]
    fn refused_lines_change_nothing(lines in prop::collection::vec(line(), 1..12)) {
        let mut session = TestSession::new("ucci");
        for line in lines {
            let before = session.board();
            let promotion = session.session.preferences.promotion;
            let answers = session.say(&line);
            let refused = |verb: &str| answers.iter().any(|a| {
                a.contains(&format!(" {verb} refused: "))
            });
            let is_refused = answers.iter().any(|a| a.contains(" refused: "));
            let after = session.board();
            if refused("position") {
                prop_assert_eq!(after, None, "{}", line);
            } else if is_refused {
                prop_assert_eq!(after, before, "{}", line);
            } else if after != before {
                let sets_board = line.trim_start().to_ascii_lowercase();
                prop_assert!(
                    sets_board.starts_with("position")
                        || sets_board.starts_with("banmoves")
                        || promotion != session.session.preferences.promotion,
                    "{}", line
                );
            }
            prop_assert!(session.session.search.is_none());
        }
    }

    /// Nothing that is said during a search changes the board or ends the search, but `stop`.
    #[test]
    fn a_search_is_not_disturbed(lines in prop::collection::vec(line(), 1..12)) {
        let mut session = TestSession::new("ucci");
        session.say("go infinite");
        let before = session.board();
        for line in lines {
            let stops = line.trim_start().to_ascii_lowercase().starts_with("stop");
            if stops {
                continue;
            }
            let answers = session.say(&line);
            let ends = |a: &String| a.starts_with("bestmove") || a == "nobestmove";
            prop_assert!(!answers.iter().any(ends), "{}", line);
            prop_assert_eq!(session.board(), before.clone(), "{}", line);
            prop_assert!(session.session.search.is_some());
        }
        session.say("stop");
        let answers = session.on_event(done(0));
        prop_assert_eq!(answers.last().unwrap(), "bestmove h2e2");
    }
}
