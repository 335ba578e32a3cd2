//! Splits a record into tokens.

/// A token of a record.
#[derive(Debug)]
pub(super) enum PgnToken<'a> {
    Tag(&'a str, String),
    Comment(&'a str),
    Word(&'a str),
}

/// What begins and never ends.
#[derive(Clone, Copy, Debug, thiserror::Error)]
pub(super) enum Unended {
    #[error("a tag without its end")]
    Tag,
    #[error("a comment without its end")]
    Comment,
    #[error("a variation without its end")]
    Variation,
}

/// Splits a part of a text into tokens; no token goes beyond its end.
#[derive(Debug, Default)]
pub(super) struct Scanner {
    text: String,
    /// Where the rest begins, in bytes.
    at: usize,
    /// Lines before that.
    lines: usize,
}

impl Scanner {
    /// Goes on with the next part.
    pub(super) fn go_on_with(&mut self, text: String) {
        self.text = text;
        self.at = 0;
    }

    /// The next token and the line, from 1, that it ends in; or that something begins in which has no
    /// end. `None` at the end of the part.
    pub(super) fn next(&mut self) -> (usize, Result<Option<PgnToken<'_>>, Unended>) {
        loop {
            self.skip_space();
            let line = self.lines + 1;
            let rest = &self.text[self.at..];
            let Some(first) = rest.chars().next() else {
                return (line, Ok(None));
            };
            match first {
                '[' => {
                    return match self.tag() {
                        Ok((name, value)) => {
                            let name = self.text[name.0..name.1].trim();
                            (self.lines + 1, Ok(Some(PgnToken::Tag(name, value))))
                        }
                        Err(broken) => (line, Err(broken)),
                    };
                }
                '{' => {
                    let start = self.at + 1;
                    return match self.skip_behind('}') {
                        true => {
                            let comment = self.text[start..self.at - 1].trim();
                            (self.lines + 1, Ok(Some(PgnToken::Comment(comment))))
                        }
                        false => (line, Err(Unended::Comment)),
                    };
                }
                ';' | '%' => self.skip(rest.find('\n').unwrap_or(rest.len())),
                '(' => {
                    if let Err(broken) = self.variation() {
                        return (line, Err(broken));
                    }
                }
                _ => {
                    let is_end = |c: char| c.is_whitespace() || "{}()[];".contains(c);
                    let end = rest.find(is_end).unwrap_or(rest.len());
                    // A bracket that belongs to nothing is a word of its own.
                    let start = self.at;
                    self.skip(end.max(first.len_utf8()));
                    let word = &self.text[start..self.at];
                    return (line, Ok(Some(PgnToken::Word(word))));
                }
            }
        }
    }

    fn skip_space(&mut self) {
        let rest = &self.text[self.at..];
        self.skip(rest.len() - rest.trim_start().len());
    }

    fn skip(&mut self, bytes: usize) {
        let passed = &self.text[self.at..self.at + bytes];
        self.lines += passed.matches('\n').count();
        self.at += bytes;
    }

    /// Passes over what stands before the next `end` and that too; if there is none, over everything.
    fn skip_behind(&mut self, end: char) -> bool {
        let rest = &self.text[self.at..];
        let found = rest.find(end);
        self.skip(found.map_or(rest.len(), |found| found + end.len_utf8()));
        found.is_some()
    }

    /// Where the name of a tag stands, and its value. What is broken ends with its line.
    fn tag(&mut self) -> Result<((usize, usize), String), Unended> {
        let start = self.at + 1;
        let mut characters = self.text[start..].char_indices();
        let mut line = characters.by_ref().take_while(|(_, c)| *c != '\n');
        let Some((name, _)) = line.by_ref().find(|(_, c)| *c == '"') else {
            return self.broken_tag();
        };
        let mut value = String::new();
        while let Some((_, c)) = line.next() {
            match c {
                '\\' => value.extend(line.next().map(|(_, c)| c)),
                '"' => {
                    let Some((end, _)) = line.find(|(_, c)| *c == ']') else {
                        break;
                    };
                    self.skip(1 + end + 1);
                    return Ok(((start, start + name), value));
                }
                _ => value.push(c),
            }
        }
        self.broken_tag()
    }

    fn broken_tag<T>(&mut self) -> Result<T, Unended> {
        let rest = &self.text[self.at..];
        self.skip(rest.find('\n').unwrap_or(rest.len()));
        Err(Unended::Tag)
    }

    fn variation(&mut self) -> Result<(), Unended> {
        let mut depth = 0;
        loop {
            let rest = &self.text[self.at..];
            let Some(next) = rest.find(['(', ')', '{', ';']) else {
                self.skip(rest.len());
                return Err(Unended::Variation);
            };
            self.skip(next);
            match self.text.as_bytes()[self.at] {
                b'(' => depth += 1,
                b')' => depth -= 1,
                b'{' => {
                    if !self.skip_behind('}') {
                        return Err(Unended::Comment);
                    }
                    continue;
                }
                _ => {
                    let rest = &self.text[self.at..];
                    self.skip(rest.find('\n').unwrap_or(rest.len()));
                    continue;
                }
            }
            self.skip(1);
            if depth == 0 {
                return Ok(());
            }
        }
    }
}
