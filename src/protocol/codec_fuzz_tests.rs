//! Any text is read without a panic, and what is written stays on its line.

use proptest::prelude::*;

use super::codec_tests::{PROTOCOLS, format};
use super::codecs::codec;
use super::command::Protocol;
use super::options::Preferences;
use super::reply::Reply;

const ALL: [Protocol; 5] = [
    Protocol::Ucci,
    Protocol::Uci,
    Protocol::XBoard,
    Protocol::CxBoard,
    Protocol::Worker,
];

/// Words that clients say, and words that look like them.
fn protocol_like() -> impl Strategy<Value = String> {
    let word = prop_oneof![
        Just("position".to_owned()),
        Just("go".to_owned()),
        Just("setoption".to_owned()),
        Just("fen".to_owned()),
        Just("startpos".to_owned()),
        Just("moves".to_owned()),
        Just("name".to_owned()),
        Just("value".to_owned()),
        Just("hashsize".to_owned()),
        Just("depth".to_owned()),
        Just("time".to_owned()),
        Just("searchmoves".to_owned()),
        Just("infinite".to_owned()),
        Just("draw".to_owned()),
        Just("usermove".to_owned()),
        Just("setboard".to_owned()),
        Just("level".to_owned()),
        Just("sel".to_owned()),
        "[0-9]{1,40}",
        "-?[0-9.]{1,10}",
        "[a-i][0-9][a-i][0-9]",
        "[rnbakcpRNBAKCP1-9/]{0,90}",
        "\\PC{0,8}",
    ];
    prop::collection::vec(word, 0..12).prop_map(|words| words.join(" "))
}

/// Parses a line in every protocol, as a whole one and as the beginning of one that is too long.
fn parse_in_all(line: &str) {
    for protocol in ALL {
        for milliseconds in [true, false] {
            let preferences = Preferences {
                milliseconds,
                ..Preferences::default()
            };
            let mut codec = codec(protocol);
            codec.parse(line, &preferences);
            codec.parse_overlong(line, &preferences);
        }
    }
}

proptest! {
    #[test]
    fn any_text_is_understood_somehow(line in ".*") {
        parse_in_all(&line);
    }

    #[test]
    fn any_words_are_understood_somehow(line in protocol_like()) {
        parse_in_all(&line);
    }

    #[test]
    fn messages_stay_one_short_line(text in "(?s).*") {
        for protocol in PROTOCOLS {
            let line = format(protocol, &Reply::Message(&text)).unwrap();
            prop_assert!(!line.chars().any(char::is_control));
            prop_assert!(line.chars().count() < 2100);
        }
    }
}
