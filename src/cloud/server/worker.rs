//! Requests of workers on other machines. Workers of this program lease tasks, submit results and return unfinished
//! tasks as JSON.
//!
//! Workers of the public library get batches of tasks as lines of text, and send MD5 sums instead of tokens. The access
//! token of such a worker is the MD5 of `ChessDB`, its address and a password. Each write is signed with the MD5 of the
//! access token and the written data. Anyone who can read the traffic can guess passwords offline and replay signed
//! writes, so these workers are accepted from listed addresses only. The passwords are the tokens with the role
//! `write`.

use std::fmt::Write;
use std::net::IpAddr;
use std::sync::Arc;

use axum::Json;
use axum::extract::{FromRequest, FromRequestParts, Request, State};
use hyper::StatusCode;
use serde::de::DeserializeOwned;
use subtle::ConstantTimeEq;

use super::caller::{BODY_TIME, Caller, JsonReply, ServerError, check_origin, read_body};
use super::shared::Shared;
use crate::cloud::access::Role;
use crate::cloud::api::QueryParameters;
use crate::cloud::fen;
use crate::cloud::library::Library;
use crate::cloud::store::{Priority, StoreError, Task, TaskKind};
use crate::cloud::worker::tasks::{
    LeaseRequest, MAX_TASKS, ReleaseRequest, SubmitError, TaskBatch, TaskResults,
};
use crate::text::number_of_digits;

/// Maximum length of a message, in bytes.
const MAX_MESSAGE: usize = 1 << 20;

/// A message of a client whose role is at least `write`.
pub struct WorkerMessage<T> {
    caller: Caller,
    message: T,
}

impl<T: DeserializeOwned> FromRequest<Arc<Shared>> for WorkerMessage<T> {
    type Rejection = ServerError;

    async fn from_request(request: Request, shared: &Arc<Shared>) -> Result<Self, ServerError> {
        let (mut parts, body) = request.into_parts();
        let caller = Caller::from_request_parts(&mut parts, shared).await?;
        caller.require(Role::Write)?;
        check_origin(shared, &parts)?;
        let body = read_body(body, MAX_MESSAGE, BODY_TIME).await?;
        let message = serde_json::from_slice(&body).map_err(|_| StatusCode::BAD_REQUEST)?;
        Ok(Self { caller, message })
    }
}

pub async fn lease(
    State(shared): State<Arc<Shared>>,
    WorkerMessage { caller, message }: WorkerMessage<LeaseRequest>,
) -> JsonReply<TaskBatch> {
    let batch = shared.in_library(move |library| {
        library.record_worker(format!("{}@{}", caller.name, caller.address));
        let count = message.count.min(MAX_TASKS);
        library.lease(message.kind, count, &caller.name)
    });
    Ok(Json(batch.await?))
}

pub async fn submit(
    State(shared): State<Arc<Shared>>,
    WorkerMessage { caller, message }: WorkerMessage<TaskResults>,
) -> JsonReply<bool> {
    if !message.is_valid() {
        return Err(StatusCode::BAD_REQUEST.into());
    }
    let done = shared.in_library(move |library| library.submit(&message, &caller.name));
    match done.await? {
        Ok(()) => Ok(Json(true)),
        Err(SubmitError::UnknownLease) => Err(StatusCode::CONFLICT.into()),
        Err(SubmitError::OtherTask) => Err(StatusCode::BAD_REQUEST.into()),
    }
}

pub async fn release(
    State(shared): State<Arc<Shared>>,
    WorkerMessage { caller, message }: WorkerMessage<ReleaseRequest>,
) -> JsonReply<bool> {
    shared.in_library(move |library| library.release(message.lease, &caller.name)).await?;
    Ok(Json(true))
}

/// The access token of a password at an address.
fn access_token(address: IpAddr, password: &str) -> String {
    md5_hex(&["ChessDB", &address.to_string(), password])
}

/// The name of the worker of the public library that signed a request; `None` if the signature is missing or wrong, or
/// the address is not listed.
pub fn signer(shared: &Shared, address: IpAddr, parameters: &QueryParameters) -> Option<String> {
    let options = &shared.options;
    let is_listed = options.public_workers.contains(&address);
    let token = parameters.get("token").filter(|_| is_listed)?;
    let signed = signed(parameters)?;
    // All passwords are tried, so that the time does not show which one matches.
    let mut found = None;
    let files = shared.files();
    for (name, password) in files.tokens.writers() {
        let access = access_token(address, password);
        let expected = match &*signed {
            "" => access,
            signed => md5_hex(&[&access, signed]),
        };
        if bool::from(expected.as_bytes().ct_eq(token.as_bytes())) {
            found = Some(name.to_owned());
        }
    }
    found
}

/// The reply to a request of a worker of the public library, such as `getqueue`; `None` for any other request, for one
/// with a board, and for an address that is not listed.
pub fn answer(
    shared: &Shared,
    parameters: &QueryParameters,
    caller: &Caller,
) -> Option<Result<String, StoreError>> {
    let address = caller.address;
    if !shared.options.public_workers.contains(&address) {
        return None;
    }
    let library = &shared.library;
    let value = |name| parameters.get(name).unwrap_or("");
    let is_allowed = caller.role >= Role::Write;
    let lease = |kind| {
        library.record_worker(format!("@{address}"));
        library.lease_as_text(kind, &caller.name)
    };
    Some(match value("action") {
        _ if parameters.get_nonempty("board").is_some() => return None,
        "getip" => Ok(address.to_string()),
        "gettoken" => Ok(access_token(address, parameters.get("key")?)),
        "getqueue" | "getsel" | "ackqueue" | "acksel" if !is_allowed => Ok("tokenerror".to_owned()),
        "getqueue" => lease(TaskKind::Scoring),
        "getsel" => lease(TaskKind::Expansion),
        "ackqueue" | "acksel" => {
            let (number, worker) = (lease_number(value("key")), caller.name.clone());
            let done = library.store.write(move |batch| batch.finish_lease(number, &worker));
            done.map(|_| "ok".to_owned())
        }
        _ => return None,
    })
}

/// The data that is hashed together with the access token for the signature; `None` for requests that workers do not
/// sign.
fn signed(parameters: &QueryParameters) -> Option<String> {
    let value = |name| parameters.get(name).unwrap_or("");
    let signed = match value("action") {
        // The token is the access token itself.
        "getqueue" | "getsel" => return Some(String::new()),
        "ackqueue" | "acksel" => value("key").to_owned(),
        "store" if parameters.get("score").is_some() => {
            let board = fen::parse(value("board"))?;
            [&*fen::write(&board), value("move"), value("score")].concat()
        }
        // A move found by an expansion.
        "store" => parameters.move_text().to_owned(),
        _ => return None,
    };
    Some(signed).filter(|signed| !signed.is_empty())
}

/// The MD5 of the concatenated parts as hexadecimal digits.
fn md5_hex(parts: &[&str]) -> String {
    format!("{:x}", md5::compute(parts.concat()))
}

/// Maximum number of tasks in a batch of text.
const BATCH: usize = 10;

impl Library {
    /// Leases tasks to a worker, as text; empty if no task waits.
    ///
    /// A scoring task is the line `FEN`, for the best move of the position, and a line `FEN moves M` for each move.
    /// An expansion task is the line `FEN`, or `!FEN` if it is urgent. The text does not contain a lease number; the
    /// worker names the batch by the MD5 of its text.
    fn lease_as_text(&self, kind: TaskKind, worker: &str) -> Result<String, StoreError> {
        let number = |tasks: &[Task]| lease_number(&md5_hex(&[&write_tasks(tasks)]));
        let seconds = self.options.lease;
        let lease = self.store.lease(kind, BATCH, seconds, worker, Some(number))?;
        Ok(write_tasks(&lease.tasks))
    }
}

/// Writes tasks as lines of text; invalid positions are skipped.
fn write_tasks(tasks: &[Task]) -> String {
    let mut text = String::new();
    for task in tasks {
        let Some(board) = task.key.position().map(|position| fen::write(&position)) else {
            continue;
        };
        let is_urgent = task.kind == TaskKind::Expansion && task.priority == Priority::Urgent;
        let _ = writeln!(text, "{}{board}", if is_urgent { "!" } else { "" });
        for m in &task.moves {
            let _ = writeln!(text, "{board} moves {m}");
        }
    }
    text
}

/// The lease number of the batch with this name: negative, and computed from the name; 0 for an invalid name.
fn lease_number(name: &str) -> i64 {
    let digits = name.get(..16).filter(|_| name.len() == 32);
    let number = digits.and_then(|digits| number_of_digits(digits, 16));
    number.map_or(0, |number: u64| -i64::try_from(number >> 1).unwrap_or(i64::MAX).max(1))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn tokens_equal_those_of_the_public_library() {
        let address: IpAddr = "127.0.0.1".parse().unwrap();
        let access = access_token(address, "123456");
        assert_eq!(access, "064b2fed5a9455a8e5990630ee68fc86");
        let start = "rnbakabnr/9/1c5c1/p1p1p1p1p/9/9/P1P1P1P1P/1C5C1/9/RNBAKABNR w";
        let stored = md5_hex(&[&access, start, "b2e2", "-12"]);
        assert_eq!(stored, "c46ff9000b2af543ced8ed01bcc44c52");
    }

    #[test]
    fn lease_numbers_are_computed_from_names() {
        assert_eq!(lease_number("00000000000000000000000000000000"), -1);
        assert_eq!(lease_number("ffffffffffffffffffffffffffffffff"), -i64::MAX);
        assert_eq!(lease_number("064b2fed5a9455a8e5990630ee68fc86"), -0x0325_97f6_ad4a_2ad4);
        for wrong in
            ["", "064b", "g64b2fed5a9455a8e5990630ee68fc86", "+64b2fed5a9455a8e5990630ee68fc86"]
        {
            assert_eq!(lease_number(wrong), 0, "{wrong}");
        }
    }
}
