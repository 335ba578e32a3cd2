//! What an operator does: the log of writes read, scores of a writer taken back, queues emptied.

use serde::Serialize;

use crate::cloud::library::Library;
use crate::cloud::parameters::QueryParameters;
use crate::cloud::store::{LoggedWrite, StoreError, TaskKind};

/// Why a request of an operator is not carried out.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum AdminRefusal {
    /// There is no such path.
    Path,
    /// A parameter is missing or wrong.
    Parameter(&'static str),
}

/// Where the log of writes is read.
pub const LOG: &str = "/admin/log";
/// The most writes that are told at a time, and how many are where nothing else is said.
const MAX_WRITES: u32 = 10_000;
const USUAL_WRITES: u32 = 100;

/// A write as an operator reads it; scores are those of the side that plays the move.
#[derive(Serialize)]
struct WriteMessage {
    /// Seconds since 1970.
    time: i64,
    writer: String,
    board: String,
    #[serde(rename = "move")]
    played: String,
    old: Option<i32>,
    new: i32,
    depth: u8,
}

impl From<LoggedWrite> for WriteMessage {
    fn from(write: LoggedWrite) -> Self {
        let (board, played) = write.played().unwrap_or_default();
        Self {
            time: write.time,
            board,
            played: played.to_string(),
            old: write.old_score(),
            new: write.score(),
            depth: write.depth,
            writer: write.writer,
        }
    }
}

/// Does what a path and a form ask for, and tells what was done as JSON. `operator` is the name of who asks,
/// for the log.
///
/// # Errors
/// The library cannot be read or written.
pub fn answer(
    library: &Library,
    path: &str,
    form: &QueryParameters,
    operator: &str,
) -> Result<Result<String, AdminRefusal>, StoreError> {
    let refused = |fail| Ok(Err(AdminRefusal::Parameter(fail)));
    match path {
        "/admin/undo" => {
            let Some(writer) = form.get("writer").filter(|name| !name.is_empty()) else {
                return refused("writer is missing");
            };
            let Ok(minutes) = form.get("minutes").map(str::parse::<u32>).transpose() else {
                return refused("minutes must be a number from 0 to 4294967295");
            };
            let count = library.store.undo(writer, minutes)?;
            log::warn!("{operator} undid {count} writes of {writer:?}");
            Ok(Ok(format!("{{\"undone\":{count}}}")))
        }
        LOG => {
            let limit = form.get("limit").map(str::parse::<u32>).transpose();
            let limit = limit.ok().map(|limit| limit.unwrap_or(USUAL_WRITES));
            let Some(limit) = limit.filter(|limit| (1..=MAX_WRITES).contains(limit)) else {
                return refused("limit must be a number from 1 to 10000");
            };
            let writer = form.get("writer");
            let writes = (library.store).read(|snapshot| snapshot.log(writer, limit))?;
            let writes: Vec<_> = writes.into_iter().map(WriteMessage::from).collect();
            // Numbers and texts can always be written.
            Ok(Ok(serde_json::to_string(&writes).unwrap_or_default()))
        }
        "/admin/empty" => {
            let Some(kind) = form
                .get("queue")
                .and_then(|name| TaskKind::ALL.into_iter().find(|kind| kind.name() == name))
            else {
                return refused("queue must be scoring or expansion");
            };
            let count = (library.store).write(move |batch| batch.drop_waiting(kind))?;
            log::warn!("{operator} dropped {count} {} tasks", kind.name());
            Ok(Ok(format!("{{\"dropped\":{count}}}")))
        }
        _ => Ok(Err(AdminRefusal::Path)),
    }
}
