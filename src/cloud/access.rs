//! Roles, and the access tokens that give them.

use std::fmt;

use subtle::ConstantTimeEq;

use crate::board::named_enum;
use crate::text::without_byte_order_mark;

named_enum! {
    /// What a client may do; each role may do what the ones before it may.
    pub enum Role {
        /// May not ask anything; the reply is `tokenerror`.
        Nothing = "none",
        /// Ask for what is known.
        Read = "read",
        /// Ask for positions to be searched.
        Queue = "queue",
        /// Write scores.
        Write = "write",
        /// Take writes of others back, and empty the queues.
        Admin = "admin",
    }
}

/// Tokens with what they allow.
#[derive(Clone, Default)]
pub struct Tokens(Vec<AccessToken>);

#[derive(Clone)]
struct AccessToken {
    role: Role,
    name: String,
    secret: String,
}

/// The shortest token, in bytes.
const SHORTEST: usize = 16;

/// Names that the library writes under, or has for those who show no token.
const RESERVED: [&str; 5] = ["anonymous", "import", "library", "unknown", "worker"];

/// A line of a file of tokens that cannot be used.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
#[error("line {line}: {fault}")]
pub struct TokenError {
    /// Number of the line, from 1.
    pub line: usize,
    /// What is wrong with the line.
    pub fault: &'static str,
}

impl Tokens {
    /// Reads tokens, one a line: a role (read, queue, write or admin), a name and the token, separated by blanks.
    /// Empty lines, those that begin with `#` and a mark of the byte order at the beginning are left out.
    ///
    /// # Errors
    /// Names the first line that is something else, has a name that the library uses itself (`anonymous`,
    /// `import`, `library`, `unknown`, `worker`), or has a token of less than 16 characters or of anything but
    /// letters, digits, `-`, `.`, `_` and `~`, or one that a line before it has.
    pub fn parse(text: &str) -> Result<Self, TokenError> {
        let mut tokens: Vec<AccessToken> = Vec::new();
        for (number, line) in without_byte_order_mark(text).lines().enumerate() {
            if line.trim().is_empty() || line.starts_with('#') {
                continue;
            }
            let fault = |fault| TokenError {
                line: number + 1,
                fault,
            };
            let words: Vec<&str> = line.split_whitespace().collect();
            let [role, name, secret] = words[..] else {
                return Err(fault("not a role, a name and a token"));
            };
            if RESERVED.contains(&name) {
                return Err(fault("the library uses this name itself"));
            }
            let role = Role::from_name(role).filter(|role| *role > Role::Nothing);
            let is_plain = |c: char| c.is_ascii_alphanumeric() || "-._~".contains(c);
            if secret.len() < SHORTEST || !secret.chars().all(is_plain) {
                return Err(fault("a token has 16 or more of letters, digits, - . _ ~"));
            }
            if tokens.iter().any(|token| token.secret == secret) {
                return Err(fault("a line before this one has the same token"));
            }
            tokens.push(AccessToken {
                role: role.ok_or(fault("a role is read, queue, write or admin"))?,
                name: name.to_owned(),
                secret: secret.to_owned(),
            });
        }
        Ok(Self(tokens))
    }

    /// The role and the name of a token. Takes the same time whatever the token begins with.
    pub fn find(&self, secret: &str) -> Option<(Role, &str)> {
        let mut found = None;
        for token in &self.0 {
            if bool::from(token.secret.as_bytes().ct_eq(secret.as_bytes())) {
                found = Some((token.role, &*token.name));
            }
        }
        found
    }

    /// The names and the secrets of the tokens whose role is to write. Those of operators are not among
    /// them: they are never used as passwords that others may try.
    pub fn writers(&self) -> impl Iterator<Item = (&str, &str)> {
        let writers = self.0.iter().filter(|token| token.role == Role::Write);
        writers.map(|token| (&*token.name, &*token.secret))
    }
}

impl fmt::Debug for Tokens {
    /// Tells how many there are, and no secret.
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
        assert_eq!(tokens.find("aaaabbbbccccdddd"), Some((Role::Write, "one")));
        assert_eq!(
            tokens.find("eeeeffffgggghhhh-._~"),
            Some((Role::Read, "two"))
        );
        assert_eq!(
            tokens.find("iiiijjjjkkkkllll"),
            Some((Role::Admin, "three"))
        );
        let writers: Vec<_> = tokens.writers().collect();
        assert_eq!(writers, [("one", "aaaabbbbccccdddd")]);
        for wrong in [
            "",
            "aaaabbbbccccddd",
            "aaaabbbbccccdddde",
            "aaaabbbbccccddde",
        ] {
            assert_eq!(tokens.find(wrong), None);
        }
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
            ("read a aaaabbbbccccdddd\n#\nwrite b aaaabbbbccccdddd", 3),
        ] {
            assert_eq!(Tokens::parse(text).unwrap_err().line, line, "{text}");
        }
    }
}
