//! The API of the page: analysis, play, reviews, files, and the contents of books and endgame tablebases. `chuhe board`
//! and `chuhe serve` provide it.

use std::collections::HashMap;
use std::convert::Infallible;
use std::pin::Pin;
use std::sync::Arc;
use std::task::{Context, Poll};

use axum::body::{Body, Bytes, HttpBody};
use axum::extract::{DefaultBodyLimit, State};
use axum::response::{IntoResponse, Response};
use axum::routing::{MethodRouter, get, post};
use axum::{Json, Router};
use hyper::StatusCode;
use hyper::body::Frame;
use hyper::header::{CONTENT_TYPE, HeaderMap, HeaderName};
use hyper::http::request::Parts;
use parking_lot::Mutex;
use serde_json::{Value, json};
use tokio::sync::mpsc::{UnboundedReceiver, unbounded_channel};

use super::engine::{BoardEngine, EngineSettings, Event, Run, SendEvent, StopOnDrop};
use crate::cli::common::{Language, Place};
use crate::cloud::api::QueryParameters;
use crate::cloud::server::{PageUser, language};
use crate::notation::records::RecordReader;
use crate::page;
use crate::text::translated;

/// Maximum number of games that the page lists.
pub const MAX_GAMES: usize = 1000;
/// Maximum size of an uploaded file, in bytes.
const MAX_FILE: usize = 16 << 20;
/// Maximum number of problems of games that are reported.
const MAX_PROBLEMS: usize = 5;
/// Maximum number of engines, one for each user.
const MAX_ENGINES: usize = 8;
/// The header that asks a proxy to forward events without buffering.
const NO_BUFFER: HeaderName = HeaderName::from_static("x-accel-buffering");

pub struct Api {
    settings: Arc<EngineSettings>,
    /// The games that the page shows at the start.
    games: Vec<Value>,
    /// The engines by user name.
    engines: Mutex<HashMap<String, Arc<BoardEngine>>>,
}

impl Api {
    pub fn new(settings: EngineSettings, games: Vec<Value>) -> Self {
        Self { settings: Arc::new(settings), games, engines: Mutex::default() }
    }

    /// The engine of the user who sends a request. Fails if [`MAX_ENGINES`] other users have running requests.
    fn engine(&self, parts: &Parts) -> Result<Arc<BoardEngine>, BoardError> {
        let user = parts.extensions.get::<PageUser>();
        let name = user.map_or("", |user| &*user.name);
        let mut engines = self.engines.lock();
        if let Some(engine) = engines.get(name) {
            return Ok(engine.clone());
        }
        if engines.len() >= MAX_ENGINES {
            // Drops the engines that no request uses.
            engines.retain(|_, engine| Arc::strong_count(engine) > 1);
        }
        if engines.len() >= MAX_ENGINES {
            let reason = format!("{MAX_ENGINES} other users use the engine; try again later");
            let status = StatusCode::SERVICE_UNAVAILABLE;
            return Err(BoardError::new(status, &reason, &parts.headers));
        }
        let engine = Arc::new(BoardEngine::new(self.settings.clone()));
        engines.insert(name.to_owned(), engine.clone());
        Ok(engine)
    }

    /// Stops all searches and reviews.
    pub fn stop(&self) {
        for engine in self.engines.lock().values() {
            // A new run stops the current one.
            engine.start().stop();
        }
    }
}

pub fn router(api: Arc<Api>) -> Router {
    Router::new()
        .route("/state", get(state))
        .route("/position", get(position))
        .route("/analyse", stream(BoardEngine::analyze))
        .route("/move", search(BoardEngine::choose_move))
        .route("/draw", search(BoardEngine::answer_draw))
        .route("/review", stream(BoardEngine::review))
        .route("/read", post(read).layer(DefaultBodyLimit::max(MAX_FILE)))
        .with_state(api)
}

/// A rejected request: the status, and the reason for the user.
pub struct BoardError(StatusCode, String);

impl BoardError {
    /// Translates the reason to the language of the request.
    pub fn new(status: StatusCode, reason: &str, headers: &HeaderMap) -> Self {
        let translate = || translated(reason).into_owned();
        Self(status, language(headers).within(translate))
    }
}

impl IntoResponse for BoardError {
    fn into_response(self) -> Response {
        (self.0, Json(json!({ "error": self.1 }))).into_response()
    }
}

type Reply = Result<Json<Value>, BoardError>;

fn parameters(parts: &Parts) -> QueryParameters {
    QueryParameters::parse(parts.uri.query().unwrap_or("").as_bytes())
}

/// Runs blocking work on another thread, with messages in the language of the page.
async fn in_background(
    parts: Parts,
    work: impl FnOnce(QueryParameters) -> Result<Value, String> + Send + 'static,
) -> Reply {
    let headers = parts.headers.clone();
    let run = move || language(&parts.headers).within(|| work(parameters(&parts)));
    let (status, reason) = match tokio::task::spawn_blocking(run).await {
        Ok(Ok(value)) => return Ok(Json(value)),
        Ok(Err(reason)) => (StatusCode::BAD_REQUEST, reason),
        Err(error) => {
            let reason = format!("internal error: {error}");
            (StatusCode::INTERNAL_SERVER_ERROR, reason)
        }
    };
    Err(BoardError::new(status, &reason, &headers))
}

async fn state(State(api): State<Arc<Api>>, parts: Parts) -> Json<Value> {
    let user = parts.extensions.get::<PageUser>();
    let mut state = api.settings.json();
    state["games"] = json!(api.games);
    state["may_search"] = json!(user.is_none_or(|user| user.may_search));
    Json(state)
}

async fn position(State(api): State<Arc<Api>>, parts: Parts) -> Reply {
    in_background(parts, move |parameters| api.settings.describe(&parameters)).await
}

/// A route that runs a search of the user's engine. The search is stopped if the client disconnects.
fn search(
    search: fn(&BoardEngine, &QueryParameters, &Run) -> Result<Value, String>,
) -> MethodRouter<Arc<Api>> {
    get(async move |State(api): State<Arc<Api>>, parts: Parts| -> Reply {
        let engine = api.engine(&parts)?;
        let run = engine.start();
        let _stop = StopOnDrop(run.clone());
        in_background(parts, move |parameters| search(&engine, &parameters, &run)).await
    })
}

/// Reads the games of an uploaded file or text.
async fn read(parts: Parts, body: Bytes) -> Reply {
    in_background(parts, move |_| read_games(&body)).await
}

fn read_games(bytes: &[u8]) -> Result<Value, String> {
    let mut reader = RecordReader::new(bytes).map_err(|error| error.to_string())?;
    let (mut games, mut problems) = (Vec::new(), Vec::new());
    // Problems of the whole file, which are always reported.
    let mut of_file = Vec::new();
    while let Some(game) = reader.next() {
        let place = Place::of_last(&reader);
        if games.len() == MAX_GAMES {
            of_file.push(format!("only the first {MAX_GAMES} games are shown"));
            break;
        }
        // In English: the whole message is translated at the end.
        let name = Language::En.within(|| place.to_string());
        match game {
            Ok(game) => {
                let reasons = game.problems.iter();
                problems.extend(reasons.map(|p| format!("{name}: {}", p.reason)));
                games.push(page::game(&game, &[], 0));
            }
            Err(error) => problems.push(format!("{name}: {}", place.reason(&error))),
        }
    }
    if let Err(error) = reader.finish() {
        of_file.push(error.to_string());
    }
    problems.truncate(MAX_PROBLEMS);
    problems.extend(of_file);
    if games.is_empty() {
        // `finish` fails if there are no games, so there is a problem.
        let reason = problems.into_iter().next();
        return Err(reason.unwrap_or_default());
    }
    let problems: Vec<_> = problems.iter().map(|problem| translated(problem)).collect();
    Ok(json!({ "games": games, "problems": problems }))
}

/// A stream of server-sent events. It is dropped when the client disconnects, which stops the run that sends them.
struct EventStream {
    events: UnboundedReceiver<String>,
    _stop: StopOnDrop,
}

impl HttpBody for EventStream {
    type Data = Bytes;
    type Error = Infallible;

    fn poll_frame(
        mut self: Pin<&mut Self>,
        context: &mut Context<'_>,
    ) -> Poll<Option<Result<Frame<Bytes>, Infallible>>> {
        let text = self.events.poll_recv(context);
        text.map(|text| text.map(|text| Ok(Frame::data(Bytes::from(text)))))
    }
}

/// A route that starts a run of the user's engine and sends its events; the last one is `done` or `failed`.
fn stream(
    work: fn(&BoardEngine, &QueryParameters, &Run, SendEvent<'_>) -> Result<Value, String>,
) -> MethodRouter<Arc<Api>> {
    get(async move |State(api): State<Arc<Api>>, parts: Parts| -> Result<Response, BoardError> {
        let engine = api.engine(&parts)?;
        let run = engine.start();
        let stop = StopOnDrop(run.clone());
        let (sender, events) = unbounded_channel();
        tokio::task::spawn_blocking(move || {
            let mut send = |(name, data): Event| {
                let text = format!("event: {name}\ndata: {data}\n\n");
                sender.send(text).is_ok()
            };
            let last = language(&parts.headers).within(|| {
                match work(&engine, &parameters(&parts), &run, &mut send) {
                    Ok(value) => ("done", value),
                    Err(error) => ("failed", json!({ "error": translated(&error) })),
                }
            });
            send(last);
        });
        let body = Body::new(EventStream { events, _stop: stop });
        let headers = [(CONTENT_TYPE, "text/event-stream"), (NO_BUFFER, "no")];
        Ok((headers, body).into_response())
    })
}
