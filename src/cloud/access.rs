//! Roles and access tokens.

use std::fmt;

use subtle::ConstantTimeEq;

use crate::board::named_enum;
use crate::cloud::store::is_valid_name;
use crate::text::without_byte_order_mark;

named_enum! {
    /// Each role includes the permissions of those before it.
    pub enum Role {
        /// No access: every query gets the reply `tokenerror`.
        Nothing = "none",
        /// Query positions.
        Read = "read",
        /// Also request searches and moves of the engine.
        Queue = "queue",
        /// Also work on tasks, write scores and notes, upload games, see private branches, and use the
        /// engine of the page.
        Write = "write",
        /// Also read the log of writes, undo and redo the writes of others, cancel their jobs, and empty the queues.
        Admin = "admin",
    }
}

#[derive(Clone, Default)]
pub struct Tokens(Vec<AccessToken>);

#[derive(Clone)]
struct AccessToken {
    role: Role,
    name: String,
    secret: String,
}

/// Minimum length of a token, in bytes.
const MIN_LENGTH: usize = 16;

/// Names used for clients without a valid token, for `chuhe cloud` and for the library's own writes.
const RESERVED: [&str; 6] = ["anonymous", "command", "import", "library", "unknown", "worker"];

/// An invalid line of a token file.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
#[error("line {line}: {reason}")]
pub struct TokenError {
    /// Line number, from 1.
    pub line: usize,
    pub reason: &'static str,
}

impl Tokens {
    /// Parses tokens, one per line: role (read, queue, write or admin), name and token, separated by white space.
    /// Empty lines and lines that start with `#` are skipped, and so is a byte order mark at the beginning of the text.
    ///
    /// # Errors
    /// For the first line that is malformed, repeats the token of an earlier line, or has an invalid role, name or
    /// token. A name is invalid if it is reserved (see the guide `cloud`), has more than 100 characters, or contains
    /// control characters. A token is invalid if it has fewer than 16 characters or contains anything but letters,
    /// digits, `-`, `.`, `_` and `~`.
    pub fn parse(text: &str) -> Result<Self, TokenError> {
        let mut tokens: Vec<AccessToken> = Vec::new();
        for (number, line) in without_byte_order_mark(text).lines().enumerate() {
            if line.trim().is_empty() || line.starts_with('#') {
                continue;
            }
            let reason = |reason| TokenError { line: number + 1, reason };
            let words: Vec<&str> = line.split_whitespace().collect();
            let [role, name, secret] = words[..] else {
                return Err(reason("expected a role, a name and a token"));
            };
            if RESERVED.contains(&name) {
                return Err(reason("this name is reserved"));
            }
            // The name of a token becomes the author of the notes that are written with it.
            if !is_valid_name(name) {
                return Err(reason(
                    "a name must have at most 100 characters and no control characters",
                ));
            }
            let role = Role::from_name(role).filter(|role| *role > Role::Nothing);
            let is_plain = |c: char| c.is_ascii_alphanumeric() || "-._~".contains(c);
            if secret.len() < MIN_LENGTH || !secret.chars().all(is_plain) {
                return Err(reason(
                    "a token needs at least 16 characters: letters, digits, - . _ ~",
                ));
            }
            if tokens.iter().any(|token| token.secret == secret) {
                return Err(reason("an earlier line has the same token"));
            }
            tokens.push(AccessToken {
                role: role.ok_or(reason("the role must be read, queue, write or admin"))?,
                name: name.to_owned(),
                secret: secret.to_owned(),
            });
        }
        Ok(Self(tokens))
    }

    /// Looks up the role and the name of a token. The time for this does not depend on the characters of `secret`.
    pub fn find(&self, secret: &str) -> Option<(Role, &str)> {
        let mut found = None;
        for token in &self.0 {
            if bool::from(token.secret.as_bytes().ct_eq(secret.as_bytes())) {
                found = Some((token.role, &*token.name));
            }
        }
        found
    }

    /// Names and secrets of the tokens with the role `write`. Admin tokens are left out: they must not serve as
    /// worker passwords, which can be guessed offline.
    pub fn writers(&self) -> impl Iterator<Item = (&str, &str)> {
        let writers = self.0.iter().filter(|token| token.role == Role::Write);
        writers.map(|token| (&*token.name, &*token.secret))
    }
}

impl fmt::Debug for Tokens {
    /// Shows the number of tokens, never a secret.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{} tokens", self.0.len())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn tokens_are_read_line_by_line() {
        let text = "# workers\n\nwrite  one aaaabbbbccccdddd\nread two\teeeeffffgggghhhh-._~\n\
            admin three iiiijjjjkkkkllll\n";
        let tokens = Tokens::parse(text).unwrap();
        for (secret, found) in [
            ("aaaabbbbccccdddd", Some((Role::Write, "one"))),
            ("eeeeffffgggghhhh-._~", Some((Role::Read, "two"))),
            ("iiiijjjjkkkkllll", Some((Role::Admin, "three"))),
            ("", None),
            ("aaaabbbbccccddd", None),
            ("aaaabbbbccccdddde", None),
            ("aaaabbbbccccddde", None),
        ] {
            assert_eq!(tokens.find(secret), found, "{secret}");
        }
        let writers: Vec<_> = tokens.writers().collect();
        assert_eq!(writers, [("one", "aaaabbbbccccdddd")]);
        let longest = format!("write {} aaaabbbbccccdddd", "名".repeat(100));
        assert!(Tokens::parse(&longest).is_ok());
        let marked = Tokens::parse("\u{feff}write one aaaabbbbccccdddd\n").unwrap();
        assert_eq!(marked.find("aaaabbbbccccdddd"), Some((Role::Write, "one")));
        assert_eq!(format!("{tokens:?}"), "3 tokens");
        for (text, line) in [
            ("write one", 1),
            ("\nwrite one aaaabbbbccccdddd more", 2),
            ("none one aaaabbbbccccdddd", 1),
            ("chief one aaaabbbbccccdddd", 1),
            ("write one short", 1),
            ("write worker aaaabbbbccccdddd", 1),
            ("write one aaaabbbbccccdddd&", 1),
            ("write o\u{7}e aaaabbbbccccdddd", 1),
            (&*format!("write {} aaaabbbbccccdddd", "名".repeat(101)), 1),
            ("read a aaaabbbbccccdddd\n#\nwrite b aaaabbbbccccdddd", 3),
        ] {
            assert_eq!(Tokens::parse(text).unwrap_err().line, line, "{text}");
        }
    }
}
