//! An interrupted search, and stored moves.

use super::*;

/// Searches for a defence of black against a pawn that cannot win. Stops after `choices` positions. Returns the
/// result and the number of positions for which moves were chosen.
fn defend(known: &mut Vec<Candidates>, choices: usize) -> (Result<Vec<Reply>, HoldError>, usize) {
    let start = start();
    let tables = Tables::none();
    let mut chosen = 0;
    let mut choose = |positions: &[Position]| {
        if chosen >= choices {
            return Err(HoldError::Stopped);
        }
        chosen += positions.len();
        Ok(positions.iter().map(|p| legal_moves(p).to_vec()).collect())
    };
    let side = Color::Black;
    let strategy = hold(
        &start,
        side,
        referee(&tables),
        20_000,
        known,
        &mut choose,
        &mut |_| {},
    );
    (strategy, chosen)
}

fn start() -> Position {
    "4k4/4a4/3a5/9/9/9/9/3P5/9/4K4 w".parse().unwrap()
}

fn referee(tables: &Tables) -> Referee<'_> {
    Referee {
        rules: RuleSet::Asian,
        tables,
    }
}

#[test]
fn an_interrupted_search_is_resumed() {
    let (whole, choices) = defend(&mut Vec::new(), usize::MAX);
    assert!(choices > 20, "{choices}");
    assert_eq!(whole.err(), None);
    let mut known = Vec::new();
    let (stopped, first) = defend(&mut known, choices / 2);
    assert_eq!(stopped, Err(HoldError::Stopped));
    assert!(known.len() >= first);
    let (resumed, second) = defend(&mut known, usize::MAX);
    assert!(second <= choices - first + BATCH, "{first} + {second}");
    let strategy = resumed.unwrap();
    assert_eq!(known.len(), strategy.len());
    let verified = verify_strategy(&start(), Color::Black, referee(&Tables::none()), &strategy);
    assert_eq!(verified, Ok(strategy.len()));
    // The strategy is found again without a choice.
    let (again, chosen) = defend(&mut known, 0);
    assert_eq!((again.unwrap().len(), chosen), (strategy.len(), 0));
}

#[test]
fn stored_moves_are_checked() {
    let fen = fen::write_position(&start());
    let mut known = vec![Candidates {
        fen: fen.replace('P', "Q"),
        moves: Vec::new(),
    }];
    assert!(matches!(
        defend(&mut known, 0),
        (Err(HoldError::Failed(_)), 0)
    ));
    // An illegal move is left out.
    let (strategy, _) = defend(&mut Vec::new(), usize::MAX);
    let reply = strategy.unwrap().swap_remove(0);
    let mut known = vec![Candidates {
        fen: reply.fen,
        moves: vec!["a0a1".parse().unwrap(), reply.played],
    }];
    let (strategy, _) = defend(&mut known, usize::MAX);
    assert!(
        strategy
            .unwrap()
            .iter()
            .all(|reply| reply.played.to_string() != "a0a1")
    );
}
