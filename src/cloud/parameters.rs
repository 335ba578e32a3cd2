//! Request parameters with the semantics of PHP.

/// The parameters of a URL and of a form.
#[derive(Clone, Debug, Default)]
pub struct QueryParameters {
    /// Names and values; those of the form come last.
    pairs: Vec<(String, String)>,
}

impl QueryParameters {
    /// Parses the query of a URL or a form. Invalid UTF-8 becomes U+FFFD.
    pub fn parse(text: &[u8]) -> Self {
        Self::from(
            form_urlencoded::parse(text)
                .into_owned()
                .collect::<Vec<_>>(),
        )
    }

    /// Adds parameters that take precedence.
    #[must_use]
    pub fn with(mut self, more: Self) -> Self {
        self.pairs.extend(more.pairs);
        self
    }

    /// The last value of a parameter; the form takes precedence over the URL.
    pub fn get(&self, name: &str) -> Option<&str> {
        let named = self.pairs.iter().rev().find(|(n, _)| n == name);
        named.map(|(_, value)| &**value)
    }

    /// A value that PHP does not consider empty: `""` and `"0"` count as absent.
    pub fn get_filled(&self, name: &str) -> Option<&str> {
        self.get(name).filter(|value| !matches!(*value, "" | "0"))
    }

    /// A boolean parameter; `default` if it is absent.
    pub fn is_on(&self, name: &str, default: bool) -> bool {
        let is_on = |value: &str| {
            let values = ["1", "true", "on", "yes"];
            values.iter().any(|on| value.eq_ignore_ascii_case(on))
        };
        self.get(name).map_or(default, is_on)
    }

    /// The moves of `ban`, as in `move:c3c4|move:b2e2`. The first five bytes of each entry are skipped unread.
    pub fn banned(&self) -> Vec<&str> {
        let list = self.get("ban").unwrap_or("").split('|');
        list.filter_map(|entry| entry.get(5..)).collect()
    }
}

impl From<Vec<(String, String)>> for QueryParameters {
    fn from(pairs: Vec<(String, String)>) -> Self {
        Self { pairs }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn get(query: &str, form: &str, name: &str) -> Option<String> {
        let form = QueryParameters::parse(form.as_bytes());
        let parameters = QueryParameters::parse(query.as_bytes()).with(form);
        parameters.get(name).map(str::to_owned)
    }

    #[test]
    fn the_last_value_wins_and_the_form_precedes_the_url() {
        assert_eq!(get("a=1&a=2", "", "a").as_deref(), Some("2"));
        assert_eq!(get("a=1", "a=3&b=4", "a").as_deref(), Some("3"));
        assert_eq!(get("a=1", "b=4", "a").as_deref(), Some("1"));
        assert_eq!(get("a[]=1", "", "a"), None);
        assert_eq!(get("a", "", "a").as_deref(), Some(""));
    }

    #[test]
    fn spaces_and_bars_are_decoded() {
        for query in ["b=x+w|y", "b=x%20w%7Cy", "b=x w%7cy"] {
            assert_eq!(get(query, "", "b").as_deref(), Some("x w|y"));
            assert_eq!(get("", query, "b").as_deref(), Some("x w|y"));
        }
        assert_eq!(get("b=%ff%", "", "b").as_deref(), Some("\u{fffd}%"));
    }

    #[test]
    fn boolean_parameters() {
        let parameters = QueryParameters::parse(b"a=TRUE&b=on&c=Yes&d=1&e=2&f=&g=0&h=false");
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
    fn the_first_five_bytes_of_a_ban_are_skipped() {
        let banned = |ban: &str| {
            let parameters = QueryParameters::parse(format!("ban={ban}").as_bytes());
            let banned = parameters.banned();
            banned.into_iter().map(str::to_owned).collect::<Vec<_>>()
        };
        assert_eq!(banned("move:c3c4|move:b2e2"), ["c3c4", "b2e2"]);
        assert_eq!(banned("move:move:c3c4|move:b2e2"), ["move:c3c4", "b2e2"]);
        assert_eq!(banned("c3c4||é|mové:x"), [":x"]);
        assert!(QueryParameters::default().banned().is_empty());
    }
}
