//! DHJHtmlXQ, the form of DhtmlXQ on 01xq.com, in which fields have numbers. The starting position is 90 characters
//! from a9 to i0, and the ranks of moves are counted from red's side.

/// The numbers of fields with the names of the same fields in DhtmlXQ.
const FIELDS: [(&str, &str); 24] = [
    ("10", "title"),
    ("11", "event"),
    ("13", "date"),
    ("14", "place"),
    ("15", "round"),
    ("16", "table"),
    ("17", "red"),
    ("18", "red"),
    ("19", "redlevel"),
    ("20", "redrating"),
    ("21", "black"),
    ("22", "black"),
    ("23", "blacklevel"),
    ("24", "blackrating"),
    ("28", "result"),
    ("29", "redtime"),
    ("30", "blacktime"),
    (BOARD, "fen"),
    (MOVES, "movelist"),
    ("36", "open"),
    ("37", "variation"),
    ("40", "remark"),
    ("41", "author"),
    ("42", "record"),
];
const BOARD: &str = "31";
const MOVES: &str = "34";

/// Whether a field with this name has another name in DhtmlXQ.
pub fn is_numbered(field: &str) -> bool {
    FIELDS.iter().any(|(number, _)| *number == field)
}

/// A record with the named fields of DhtmlXQ in place of the numbered ones.
pub fn with_names(record: &str) -> String {
    let side = if record.contains("[DhtmlXQ_32]1[") { 'b' } else { 'w' };
    let mut parts = record.split("[DhtmlXQ_");
    let mut named = parts.next().unwrap_or_default().to_owned();
    for part in parts {
        let field = part.split_once(']').and_then(|(number, rest)| {
            let (_, name) = FIELDS.iter().find(|(known, _)| *known == number)?;
            let (value, rest) = rest.split_once("[/DhtmlXQ_")?;
            let rest = rest.strip_prefix(number)?;
            let value = match number {
                BOARD => format!("{} {side}", board(value)),
                MOVES => from_black(value),
                _ => value.to_owned(),
            };
            Some(format!("{name}]{value}[/DhtmlXQ_{name}{rest}"))
        });
        named += "[DhtmlXQ_";
        named += field.as_deref().unwrap_or(part);
    }
    named
        .replace("[game_comment_0_", "[DhtmlXQ_comment")
        .replace("[/comment_0_", "[/DhtmlXQ_comment")
}

/// The first field of a FEN for a board of 90 characters: letters for pieces, any other character for an empty square.
fn board(letters: &str) -> String {
    let squares = letters.trim().chars();
    let squares: Vec<char> =
        squares.map(|c| if c.is_ascii_alphabetic() { c } else { '1' }).collect();
    let ranks = squares.chunks(9).map(String::from_iter);
    ranks.collect::<Vec<_>>().join("/")
}

/// A list of moves with ranks from black's side in place of ranks from red's side.
fn from_black(moves: &str) -> String {
    let digits = moves.chars().filter_map(|c| c.to_digit(10));
    let changed = digits.zip([false, true].into_iter().cycle());
    changed.map(|(digit, is_rank)| if is_rank { 9 - digit } else { digit }.to_string()).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn fields_get_names_and_values_of_dhtmlxq() {
        let empty = "*".repeat(72);
        let record = format!(
            "[DhtmlXQ_17][/DhtmlXQ_17][DhtmlXQ_18]甲[/DhtmlXQ_18]\n[DhtmlXQ_31]rn**k****{empty}****K***R[/DhtmlXQ_31]\
             [DhtmlXQ_32]1[/DhtmlXQ_32][DhtmlXQ_34]1927[/DhtmlXQ_34][game_comment_0_1]好[/comment_0_1][DhtmlXQ_x]"
        );
        let ranks = "111111111/".repeat(8);
        let named = format!(
            "[DhtmlXQ_red][/DhtmlXQ_red][DhtmlXQ_red]甲[/DhtmlXQ_red]\n\
             [DhtmlXQ_fen]rn11k1111/{ranks}1111K111R b[/DhtmlXQ_fen][DhtmlXQ_32]1[/DhtmlXQ_32]\
             [DhtmlXQ_movelist]1022[/DhtmlXQ_movelist][DhtmlXQ_comment1]好[/DhtmlXQ_comment1][DhtmlXQ_x]"
        );
        assert_eq!(with_names(&record), named);
    }
}
