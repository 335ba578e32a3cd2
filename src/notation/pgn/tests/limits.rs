//! Tests that the time and memory of the reader are bounded, and that random texts do not panic.

use rand::rngs::StdRng;
use rand::seq::{IndexedRandom, IteratorRandom};
use rand::{Rng, SeedableRng};

use super::line_of;
use crate::notation::pgn::{PgnReader, read};

/// The number of games, including unreadable ones.
fn count(bytes: &[u8]) -> usize {
    let mut reader = PgnReader::new(bytes);
    let count = reader.by_ref().count();
    reader.finish().unwrap();
    count
}

/// A reader that takes quadratic time would need minutes for these texts.
#[test]
fn long_texts_take_linear_time() {
    let many = 1 << 17;
    let comments = format!("1. h2e2 {}*", "{a}".repeat(many));
    let tags = format!("{}1. h2e2 *", "[a \"b\"]".repeat(many));
    let typographic_tags = format!("{}1. h2e2 *", "[a “b”]".repeat(many));
    let numbered_tags = |name: &str| -> String {
        (0..many).map(|number| format!("[{name}{number} \"b\"]")).collect()
    };
    let white_tags = numbered_tags("White") + "1. h2e2 *";
    let game_tags = numbered_tags("a") + &"[Game \"b\"]".repeat(many) + "1. h2e2 *";
    let open = "[a \"".repeat(many);
    let variations = format!("1. h2e2 {}{} *", "(".repeat(many), ")".repeat(many));
    let lines = "[a]\n{\n(\n".repeat(many / 4);
    let headings = format!("红方: {}:x\n", "a ".repeat(2000)).repeat(many >> 12) + "h2e2 *";
    for (text, games) in [
        (comments, 1),
        (tags, 1),
        (typographic_tags, 1),
        (white_tags, 1),
        (game_tags, 1),
        (open, 1),
        (variations, 1),
        ("* ".repeat(many), 0),
        ("; \n".repeat(many), 0),
        ("1. h2e2".to_owned() + &";".repeat(many) + "h9g7", 1),
        ("1. h2e2".to_owned() + &"; 1... h9g7".repeat(many), 1),
        (lines, 1),
        (headings, 1),
        ("[".repeat(many), 1),
        ("1. h2e2 ".to_owned() + &"（（a）".repeat(many), 1),
        ("1. h2e2 ".to_owned() + &format!("（{}", "（a）".repeat(200)).repeat(many >> 8), 1),
        ("\n[a \"b\"]\n".repeat(many / 4), 1),
    ] {
        let beginning: String = text.chars().take(40).collect();
        assert!(count(text.as_bytes()) >= games, "{beginning}");
    }
}

#[test]
fn files_may_be_long_but_games_may_not() {
    /// A file with this number of games left.
    struct Games(u64);
    impl std::io::Read for Games {
        fn read(&mut self, buffer: &mut [u8]) -> std::io::Result<usize> {
            let games = (buffer.len() / 8).min(usize::try_from(self.0).unwrap());
            buffer[..8 * games].copy_from_slice(&b" h2e2 *\n".repeat(games));
            self.0 -= games as u64;
            Ok(8 * games)
        }
    }
    let input = std::io::BufReader::with_capacity(1 << 16, Games(1 << 16));
    let mut reader = PgnReader::new(input);
    assert_eq!(reader.by_ref().filter(Result::is_ok).count(), 1 << 16);
    reader.finish().unwrap();
    let word = "x".repeat(1000) + " ";
    for (long, limit) in [
        ("a0a1 a9a8 a1a0 a8a9 ".repeat(100_000), "250000 moves"),
        ("h2e2 ".to_owned() + &word.repeat(9000), "8 MB of text"),
    ] {
        let games = read(&format!("1. {long}\n*\n[Red \"a\"]\n1. h2e2 *"));
        let message = games[0].as_ref().unwrap_err().to_string();
        assert!(message.ends_with(&format!("the game has more than {limit}")), "{message}");
        assert!(games[1].is_ok());
    }
}

#[test]
fn binary_files_are_rejected() {
    // The games before the error are read, except one that may be incomplete.
    for (text, count) in [
        (&b"1. h2e2 *\n\x7fELF\0\x01"[..], 1),
        (&b"1. h2e2 *\n[Red \"a\"]\n1. h2e2 *\n1. h2e2\n\0"[..], 2),
        (&b"\x7fELF\0\x01\n1. h2e2 *\n"[..], 0),
    ] {
        let mut reader = PgnReader::new(text);
        assert_eq!(reader.by_ref().filter(Result::is_ok).count(), count);
        assert_eq!(reader.finish().unwrap_err().to_string(), "not a text file");
    }
    let games = read(&format!("[Red \"a\"]\n{}", "x".repeat(5000)));
    let message = games[0].as_ref().unwrap_err().to_string();
    assert!(message.len() < 150 && message.contains('…'), "{message}");
}

/// The line numbers of errors are within the text.
#[test]
fn random_texts_do_not_panic() {
    let mut random = StdRng::seed_from_u64(7);
    let marks = "[ ] { } ( ) ; \" \\ * % é 1. 1-0 h2e2 炮二平五".split(' ');
    let longer = ["\n", "\r\n", "\n\n", " ", "[Red \"a\"]", "[FEN \"x\"]"];
    let words: Vec<&str> = marks.chain(longer).collect();
    for _ in 0..20_000 {
        let length = random.random_range(0..40);
        let text: String = (0..length).map(|_| *words.choose(&mut random).unwrap()).collect();
        let lines = text.matches('\n').count() + 1;
        for game in read(&text) {
            if let Err(error) = game {
                assert!((1..=lines).contains(&line_of(&error)), "{text:?}: {error}");
            }
        }
        let mut bytes = text.into_bytes();
        for _ in 0..random.random_range(0..3) {
            if let Some(byte) = bytes.iter_mut().choose(&mut random) {
                *byte = random.random_range(1..=255);
            }
        }
        count(&bytes);
    }
}
