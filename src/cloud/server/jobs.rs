//! Uploads of games and positions to be searched, at `/jobs`. All requests need the role `write`.

use std::sync::Arc;
use std::time::Duration;

use axum::Json;
use axum::extract::{Path, Request, State};
use hyper::StatusCode;
use serde_json::{Value, json};

use super::caller::{
    Caller, JsonReply, ServerError, UPLOAD_TIME, check_origin, is_multipart, language,
    logged_reason, parameters_of, read_body, text_of,
};
use super::shared::Shared;
use crate::cloud::access::Role;
use crate::cloud::api::QueryParameters;
use crate::cloud::library::Library;
use crate::cloud::store::{Job, JobSettings, Priority, StoreError, Task, is_valid_name};
use crate::notation::records::RecordReader;
use crate::text::{number_of_digits, translated};

/// Maximum size of an upload, in bytes.
const MAX_UPLOAD: usize = 4 << 20;
/// Maximum number of problems of a file that are reported.
const MAX_PROBLEMS: usize = 5;
/// Default of the parameter `plies`: the number of moves of each game to search.
const DEFAULT_PLIES: u16 = 40;
/// How often the jobs are advanced.
const INTERVAL: Duration = Duration::from_secs(1);

/// Values of the parameter `priority`.
const PRIORITIES: [(&str, Priority); 3] =
    [("low", Priority::Background), ("normal", Priority::Requested), ("high", Priority::Urgent)];

/// A job as JSON, with the name of its priority and its state.
fn job_json(job: &Job) -> Value {
    let mut object = json!(job);
    let mut names = PRIORITIES.iter();
    let name = names.find(|(_, priority)| *priority == job.priority);
    object["priority"] = name.map_or("normal", |(name, _)| name).into();
    object["state"] = match (job.ended, &job.canceled_by) {
        (None, _) => "running",
        (Some(_), None) => "done",
        (Some(_), Some(_)) => "canceled",
    }
    .into();
    object
}

/// Requests the searches of unfinished jobs once a second, and never returns.
pub async fn advance(shared: Arc<Shared>) {
    if shared.library.store.is_read_only() {
        std::future::pending().await
    }
    loop {
        tokio::time::sleep(INTERVAL).await;
        let advanced = shared.in_library(|library| {
            let store = &library.store;
            if store.read(|snapshot| snapshot.has_unfinished_jobs())? {
                store.write(|batch| batch.advance_jobs())?;
            }
            Ok(())
        });
        if let Err(error) = advanced.await {
            logged_reason(&error);
        }
    }
}

/// All jobs, latest first.
pub async fn list(State(shared): State<Arc<Shared>>, caller: Caller) -> JsonReply {
    caller.require(Role::Write)?;
    let jobs = shared.in_library(|library| library.store.read(|snapshot| snapshot.jobs(None)));
    let jobs: Vec<Value> = jobs.await?.iter().map(job_json).collect();
    Ok(Json(json!({ "jobs": jobs })))
}

/// The number of a job in a path.
fn job_number(id: &str) -> Result<i64, StatusCode> {
    number_of_digits(id, 10).ok_or(StatusCode::NOT_FOUND)
}

async fn find(shared: &Arc<Shared>, id: i64) -> Result<Job, ServerError> {
    let jobs =
        shared.in_library(move |library| library.store.read(|snapshot| snapshot.jobs(Some(id))));
    jobs.await?.pop().ok_or(StatusCode::NOT_FOUND.into())
}

pub async fn show(
    State(shared): State<Arc<Shared>>,
    caller: Caller,
    Path(id): Path<String>,
) -> JsonReply {
    caller.require(Role::Write)?;
    Ok(Json(job_json(&find(&shared, job_number(&id)?).await?)))
}

/// Cancels a job of the caller. Administrators may cancel the job of any writer.
pub async fn cancel(
    State(shared): State<Arc<Shared>>,
    caller: Caller,
    Path(id): Path<String>,
    parts: hyper::http::request::Parts,
) -> JsonReply {
    caller.require(Role::Write)?;
    let job = find(&shared, job_number(&id)?).await?;
    check_origin(&shared, &parts)?;
    if caller.role < Role::Admin && job.writer != caller.name {
        return Err(StatusCode::FORBIDDEN.into());
    }
    let canceled = shared.in_library(move |library| {
        library.store.write(move |batch| batch.cancel_job(job.id, &caller.name))
    });
    if canceled.await? {
        Ok(Json(job_json(&find(&shared, job.id).await?)))
    } else {
        Err(ServerError::parameter("the job has already ended"))
    }
}

/// Adds a job for the games or positions in the body, in any format that the program reads.
pub async fn upload(
    State(shared): State<Arc<Shared>>,
    caller: Caller,
    request: Request,
) -> JsonReply {
    caller.require(Role::Write)?;
    let (parts, body) = request.into_parts();
    check_origin(&shared, &parts)?;
    if is_multipart(&parts.headers) {
        return Err(ServerError::parameter("the file must be the body of the request, not a form"));
    }
    let parameters = parameters_of(&parts.uri);
    let settings = settings(&parameters, caller.name)?;
    let plies = parameters.get("plies");
    let plies = plies.map_or(Some(DEFAULT_PLIES), |text| number_of_digits(text, 10));
    let Some(plies) = plies.filter(|plies| *plies > 0) else {
        return Err(ServerError::parameter("plies must be a number from 1 to 65535"));
    };
    let body = read_body(body, MAX_UPLOAD, UPLOAD_TIME).await?;
    let language = language(&parts.headers);
    let added =
        shared.in_library(move |library| language.within(|| add(library, &body, plies, settings)));
    let added = added.await?.map_err(ServerError::parameter)?;
    let mut object = job_json(&find(&shared, added.id).await?);
    object["games"] = added.games.into();
    object["problems"] = added.problems.into();
    Ok(Json(object))
}

fn settings(parameters: &QueryParameters, writer: String) -> Result<JobSettings, ServerError> {
    let name = text_of(parameters, "name")?;
    if !is_valid_name(&name) {
        return Err(ServerError::parameter(
            "name must have at most 100 characters and no control characters",
        ));
    }
    let priority = parameters.get("priority").unwrap_or("normal");
    let Some((_, priority)) = PRIORITIES.iter().find(|(name, _)| *name == priority) else {
        return Err(ServerError::parameter("priority must be low, normal or high"));
    };
    Ok(JobSettings { writer, name, priority: *priority })
}

struct Added {
    id: i64,
    games: usize,
    /// Problems of the file, and the numbers of skipped positions, in the language of the client. At most
    /// [`MAX_PROBLEMS`].
    problems: Vec<String>,
}

/// Reads the games of a file and adds a job for them. Returns the reason if no game can be read or the job is rejected.
fn add(
    library: &Library,
    bytes: &[u8],
    plies: u16,
    settings: JobSettings,
) -> Result<Result<Added, String>, StoreError> {
    let mut reader = match RecordReader::new(bytes) {
        Ok(reader) => reader,
        Err(error) => return Ok(Err(error.to_string())),
    };
    let (mut games, mut tasks, mut problems) = (0, Vec::new(), Vec::new());
    for (number, game) in (1..).zip(reader.by_ref()) {
        match game {
            Ok(game) => {
                games += 1;
                let reasons = game.problems.iter();
                problems
                    .extend(reasons.map(|problem| format!("game {number}: {}", problem.reason)));
                let line = game.main_line();
                let (found, left_out) = Task::of_line(line, usize::from(plies), settings.priority);
                tasks.extend(found);
                if left_out > 0 {
                    let what = "skipped positions that a library does not store or search";
                    problems.push(format!("game {number}: {what}: {left_out}"));
                }
            }
            Err(error) => problems.push(format!("game {number}: {error}")),
        }
        problems.truncate(MAX_PROBLEMS);
    }
    if let Err(error) = reader.finish() {
        problems.truncate(MAX_PROBLEMS - 1);
        problems.push(error.to_string());
    }
    if games == 0 {
        // There is a problem, because `finish` fails if there are no games.
        let reason = problems.into_iter().next();
        return Ok(Err(reason.unwrap_or_default()));
    }
    let added = library.store.write(move |batch| batch.add_job(&settings, &tasks))?;
    let id = match added {
        Ok(id) => id,
        Err(error) => return Ok(Err(error.to_string())),
    };
    Ok(Ok(Added {
        id,
        games,
        problems: (problems.iter()).map(|problem| translated(problem).into_owned()).collect(),
    }))
}
