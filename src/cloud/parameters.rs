//! The parameters of a request, as PHP would read them.

/// The parameters of the address and of the body of a form.
#[derive(Clone, Debug, Default)]
pub struct QueryParameters {
    /// Names and values, those of the body last.
    pairs: Vec<(String, String)>,
}

impl QueryParameters {
    /// Reads the query of an address and the body of a form. Bytes that are no UTF-8 become replacement
    /// characters.
    pub fn parse(query: &[u8], form: &[u8]) -> Self {
        let parse = |text| form_urlencoded::parse(text).into_owned();
        Self {
            pairs: parse(query).chain(parse(form)).collect(),
        }
    }

    /// The value of a parameter. Of several the last one counts, and the body before the address.
    pub fn get(&self, name: &str) -> Option<&str> {
        let named = self.pairs.iter().rev().find(|(n, _)| n == name);
        named.map(|(_, value)| &**value)
    }

    /// The value of a parameter that PHP does not call empty: `""` and `"0"` count as absent.
    pub fn get_filled(&self, name: &str) -> Option<&str> {
        self.get(name).filter(|value| !matches!(*value, "" | "0"))
    }

    /// A parameter that is on or off; `usual` where it is absent.
    pub fn is_on(&self, name: &str, usual: bool) -> bool {
        let is_on = |value: &str| {
            let values = ["1", "true", "on", "yes"];
            values.iter().any(|on| value.eq_ignore_ascii_case(on))
        };
        self.get(name).map_or(usual, is_on)
    }

    /// The texts of the moves that `ban` leaves out, written `move:c3c4|move:b2e2`. The first five bytes
    /// of each are not looked at.
    pub fn banned(&self) -> Vec<&str> {
        let list = self.get("ban").unwrap_or("").split('|');
        list.filter_map(|entry| entry.get(5..)).collect()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn get(query: &str, form: &str, name: &str) -> Option<String> {
        let parameters = QueryParameters::parse(query.as_bytes(), form.as_bytes());
        parameters.get(name).map(str::to_owned)
    }

    #[test]
    fn the_last_value_wins_and_the_body_before_the_address() {
        assert_eq!(get("a=1&a=2", "", "a").as_deref(), Some("2"));
        assert_eq!(get("a=1", "a=3&b=4", "a").as_deref(), Some("3"));
        assert_eq!(get("a=1", "b=4", "a").as_deref(), Some("1"));
        assert_eq!(get("a[]=1", "", "a"), None);
        assert_eq!(get("a", "", "a").as_deref(), Some(""));
    }

    #[test]
    fn blanks_and_bars_are_read_in_every_form() {
        for query in ["b=x+w|y", "b=x%20w%7Cy", "b=x w%7cy"] {
            assert_eq!(get(query, "", "b").as_deref(), Some("x w|y"));
            assert_eq!(get("", query, "b").as_deref(), Some("x w|y"));
        }
        assert_eq!(get("b=%ff%", "", "b").as_deref(), Some("\u{fffd}%"));
    }

    #[test]
    fn flags_are_words() {
        let parameters = QueryParameters::parse(b"a=TRUE&b=on&c=Yes&d=1&e=2&f=&g=0&h=false", b"");
        let on: Vec<bool> = "a b c d e f g h"
            .split(' ')
            .map(|name| parameters.is_on(name, true))
            .collect();
        assert_eq!(on, [true, true, true, true, false, false, false, false]);
        assert!(parameters.is_on("z", true) && !parameters.is_on("z", false));
        assert_eq!(parameters.get_filled("g"), None);
        assert_eq!(parameters.get_filled("f"), None);
        assert_eq!(parameters.get_filled("e"), Some("2"));
    }

    #[test]
    fn bans_lose_their_first_five_bytes() {
        let banned = |ban: &str| {
            let parameters = QueryParameters::parse(format!("ban={ban}").as_bytes(), b"");
            let banned = parameters.banned();
            banned.into_iter().map(str::to_owned).collect::<Vec<_>>()
        };
        assert_eq!(banned("move:c3c4|move:b2e2"), ["c3c4", "b2e2"]);
        assert_eq!(banned("move:move:c3c4|move:b2e2"), ["move:c3c4", "b2e2"]);
        assert_eq!(banned("c3c4||é|mové:x"), [":x"]);
        assert!(QueryParameters::default().banned().is_empty());
    }
}
