//! Lists such as `elo0=0,elo1=5`, as options of the command line have them.

use std::str::FromStr;

/// The values of a list `key=value,…`, each key once.
#[derive(Debug)]
pub(super) struct KeyValues<'a> {
    pairs: Vec<(&'a str, &'a str)>,
}

impl<'a> KeyValues<'a> {
    /// Reads a list whose keys are among `keys`.
    ///
    /// # Errors
    /// Names a key that is none of them or is given twice.
    pub(super) fn read(text: &'a str, keys: &[&str]) -> Result<Self, String> {
        let mut pairs: Vec<(&str, &str)> = Vec::new();
        for part in text.split(',') {
            let (key, value) = part.split_once('=').unwrap_or((part, ""));
            if !keys.contains(&key) {
                return Err(format!("{key:?} is none of {}", keys.join(", ")));
            }
            if pairs.iter().any(|(known, _)| *known == key) {
                return Err(format!("{key} is given twice"));
            }
            pairs.push((key, value));
        }
        Ok(Self { pairs })
    }

    /// The value of a key.
    ///
    /// # Errors
    /// It cannot be read.
    pub(super) fn get<T: FromStr>(&self, key: &str) -> Result<Option<T>, String> {
        let mut pairs = self.pairs.iter();
        let Some((_, value)) = pairs.find(|(known, _)| *known == key) else {
            return Ok(None);
        };
        let value = value
            .parse()
            .map_err(|_| format!("{key}={value} cannot be read"))?;
        Ok(Some(value))
    }

    /// The value of a key that has to be there.
    ///
    /// # Errors
    /// It is missing or cannot be read.
    pub(super) fn require<T: FromStr>(&self, key: &str) -> Result<T, String> {
        self.get(key)?.ok_or_else(|| format!("{key}= is missing"))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn lists_are_read() {
        let list = KeyValues::read("a=1,b=x", &["a", "b", "c"]).unwrap();
        assert_eq!(list.get::<u32>("a"), Ok(Some(1)));
        assert_eq!(list.get::<u32>("c"), Ok(None));
        assert_eq!(list.require::<u32>("b"), Err("b=x cannot be read".into()));
        assert_eq!(list.require::<u32>("c"), Err("c= is missing".into()));
        for (text, reason) in [
            ("", "\"\" is none of a"),
            ("d=1", "\"d\" is none"),
            ("a=1,a=1", "a is given twice"),
        ] {
            let told = KeyValues::read(text, &["a"]).unwrap_err();
            assert!(told.contains(reason), "{told}");
        }
    }
}
