//! The workers of the public library, which show MD5 sums instead of tokens.
//!
//! The access token of a worker is the MD5 of `ChessDB`, its address and a password; what it writes is
//! signed with the MD5 of the access token and of what is written. Whoever reads the traffic may try
//! passwords on such sums, and may send what was signed again. They are taken from listed addresses
//! alone; the passwords are the tokens that may write.

use std::net::IpAddr;

use subtle::ConstantTimeEq;

use super::shared::{ServerOptions, Shared};
use crate::cloud::access::Role;
use crate::cloud::fen;
use crate::cloud::parameters::QueryParameters;
use crate::cloud::store::{StoreError, TaskKind};

/// The access token that goes with a password at an address.
pub(super) fn access_token(address: IpAddr, password: &str) -> String {
    hash(&["ChessDB", &address.to_string(), password])
}

/// The name of the writer whose access token has signed a request from a listed address.
pub(super) fn find<'a>(
    options: &'a ServerOptions,
    address: IpAddr,
    parameters: &QueryParameters,
) -> Option<&'a str> {
    let is_listed = options.public_workers.contains(&address);
    let shown = parameters.get("token").filter(|_| is_listed)?;
    let signed = signed(parameters)?;
    let mut found = None;
    for (name, password) in options.tokens.writers() {
        let access = access_token(address, password);
        let expected = match &*signed {
            "" => access,
            signed => hash(&[&access, signed]),
        };
        if bool::from(expected.as_bytes().ct_eq(shown.as_bytes())) {
            found = Some(name);
        }
    }
    found
}

/// The answer to an action of workers from a listed address, which names no board; `None` for any other
/// request.
pub(super) fn answer(
    shared: &Shared,
    parameters: &QueryParameters,
    address: IpAddr,
    role: Role,
) -> Option<Result<String, StoreError>> {
    if !shared.options.public_workers.contains(&address) {
        return None;
    }
    let library = &shared.library;
    let value = |name| parameters.get(name).unwrap_or("");
    let is_allowed = role >= Role::Write;
    let lease = |kind| {
        library.note_worker(format!("@{address}"));
        library.lease_as_text(kind, library.lease_time())
    };
    Some(match value("action") {
        _ if parameters.get_filled("board").is_some() => return None,
        "getip" => Ok(address.to_string()),
        "gettoken" => Ok(access_token(address, parameters.get("key")?)),
        "getqueue" | "getsel" | "ackqueue" | "acksel" if !is_allowed => Ok("tokenerror".to_owned()),
        "getqueue" => lease(TaskKind::Scoring),
        "getsel" => lease(TaskKind::Sieving),
        "ackqueue" | "acksel" => {
            let done = library.end_named_lease(value("key"));
            done.map(|()| "ok".to_owned())
        }
        _ => return None,
    })
}

/// What a worker signs beside its access token; `None` for requests that workers do not sign.
fn signed(parameters: &QueryParameters) -> Option<String> {
    let value = |name| parameters.get(name).unwrap_or("");
    let signed = match value("action") {
        // The access token itself is shown.
        "getqueue" | "getsel" => return Some(String::new()),
        "ackqueue" | "acksel" => value("key").to_owned(),
        "store" if parameters.get("score").is_some() => {
            let board = fen::parse(value("board"))?;
            [&*fen::write(&board), value("move"), value("score")].concat()
        }
        // A move that was sieved, written `move:c3c4`.
        "store" => value("move").get(5..)?.to_owned(),
        _ => return None,
    };
    Some(signed).filter(|signed| !signed.is_empty())
}

fn hash(parts: &[&str]) -> String {
    format!("{:x}", md5::compute(parts.concat()))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn tokens_are_those_of_the_public_library() {
        let address: IpAddr = "127.0.0.1".parse().unwrap();
        let access = access_token(address, "123456");
        assert_eq!(access, "064b2fed5a9455a8e5990630ee68fc86");
        let start = "rnbakabnr/9/1c5c1/p1p1p1p1p/9/9/P1P1P1P1P/1C5C1/9/RNBAKABNR w";
        let stored = hash(&[&access, start, "b2e2", "-12"]);
        assert_eq!(stored, "c46ff9000b2af543ced8ed01bcc44c52");
    }
}
