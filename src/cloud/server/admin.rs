//! What an operator does: scores of a writer taken back, queues emptied.

use crate::cloud::library::Library;
use crate::cloud::parameters::QueryParameters;
use crate::cloud::store::StoreError;
use crate::cloud::worker::wire;

/// Why a request of an operator is not carried out.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum AdminRefusal {
    /// There is no such path.
    Path,
    /// A parameter is missing or wrong.
    Parameter(&'static str),
}

/// Does what a path and a form ask for, and tells what was done as JSON. `operator` is the name of who asks,
/// for the log.
///
/// # Errors
/// The library cannot be read or written.
pub(super) fn answer(
    library: &Library,
    path: &str,
    form: &QueryParameters,
    operator: &str,
) -> Result<Result<String, AdminRefusal>, StoreError> {
    let refused = |fault| Ok(Err(AdminRefusal::Parameter(fault)));
    match path {
        "/admin/undo" => {
            let Some(writer) = form.get("writer").filter(|name| !name.is_empty()) else {
                return refused("writer is missing");
            };
            let Ok(minutes) = form.get("minutes").map(str::parse::<u32>).transpose() else {
                return refused("minutes is no number from 0 to 4294967295");
            };
            let count = library.store.undo(writer, minutes)?;
            log::warn!("{operator} has taken back {count} values of {writer:?}");
            Ok(Ok(format!("{{\"taken_back\":{count}}}")))
        }
        "/admin/empty" => {
            let Some(kind) = form.get("queue").and_then(wire::kind) else {
                return refused("queue is neither scoring nor sieving");
            };
            let count = (library.store).write(move |batch| batch.drop_waiting(kind))?;
            log::warn!("{operator} has dropped {count} tasks of {kind:?}");
            Ok(Ok(format!("{{\"dropped\":{count}}}")))
        }
        _ => Ok(Err(AdminRefusal::Path)),
    }
}
