//! The server of the board, on the loopback.
//!
//! All paths begin with a random token, and requests with the name of another host or from the page of another origin
//! are rejected. So neither other users of the machine nor web pages, even by DNS rebinding, can use the engine.

use std::convert::Infallible;
use std::net::{SocketAddr, TcpListener};
use std::pin::Pin;
use std::sync::Arc;
use std::task::{Context, Poll};
use std::time::Duration;

use axum::body::{Body, Bytes, HttpBody};
use axum::extract::{DefaultBodyLimit, Request, State};
use axum::middleware::{Next, from_fn_with_state};
use axum::response::{IntoResponse, Response};
use axum::routing::{get, post};
use axum::{Json, Router};
use hyper::StatusCode;
use hyper::body::Frame;
use hyper::header::{
    CACHE_CONTROL, CONTENT_SECURITY_POLICY, CONTENT_TYPE, HOST, HeaderMap, ORIGIN, REFERRER_POLICY,
    X_CONTENT_TYPE_OPTIONS,
};
use hyper::http::request::Parts;
use serde_json::{Value, json};
use tokio::sync::mpsc::{UnboundedReceiver, UnboundedSender, unbounded_channel};

use super::engine::{BoardEngine, Event, StopOnDrop};
use crate::cloud::parameters::QueryParameters;
use crate::cloud::server::content_type;
use crate::notation::records::RecordReader;
use crate::page;

/// Maximum number of games that the page lists.
pub const MAX_GAMES: usize = 1000;
/// Maximum size of an uploaded file, in bytes.
const MAX_FILE: usize = 16 << 20;
/// Maximum number of problems of a file that are reported.
const MAX_PROBLEMS: usize = 5;
/// Time for the threads in progress when the server ends.
const LAST_TIME: Duration = Duration::from_millis(500);

/// The server of one board.
pub struct BoardServer {
    engine: BoardEngine,
    /// The games that the page shows first.
    games: Vec<Value>,
    token: String,
    listening: SocketAddr,
}

impl BoardServer {
    pub fn new(
        engine: BoardEngine,
        games: Vec<Value>,
        token: String,
        listener: &TcpListener,
    ) -> std::io::Result<Self> {
        listener.set_nonblocking(true)?;
        Ok(Self {
            engine,
            games,
            token,
            listening: listener.local_addr()?,
        })
    }

    /// The address of the page.
    pub fn address(&self) -> String {
        format!("http://{}/{}/", self.listening, self.token)
    }

    /// Answers requests until Ctrl-C or SIGTERM.
    pub fn run(self, listener: TcpListener) -> std::io::Result<()> {
        let runtime = tokio::runtime::Builder::new_multi_thread()
            .worker_threads(2)
            .thread_name("board server")
            .enable_all()
            .build()?;
        let server = Arc::new(self);
        let router = router(&server);
        let result = runtime.block_on(async move {
            let listener = tokio::net::TcpListener::from_std(listener)?;
            tokio::select! {
                served = async { axum::serve(listener, router).await } => served,
                ended = end_signal() => ended,
            }
        });
        // Stops the current search.
        server.engine.start().0.stop();
        runtime.shutdown_timeout(LAST_TIME);
        result
    }

    /// Why a request is rejected, if it is: another host name, another origin, or another token.
    fn refusal(&self, path: &str, headers: &HeaderMap) -> Option<&'static str> {
        let port = self.listening.port();
        let hosts = ["127.0.0.1", "localhost"].map(|host| format!("{host}:{port}"));
        let text = |name| headers.get(name).map(|value| value.to_str().unwrap_or(""));
        let host = text(HOST).unwrap_or("");
        if !hosts.iter().any(|known| host.eq_ignore_ascii_case(known)) {
            return Some("this host name is not the one of the board");
        }
        if let Some(origin) = text(ORIGIN)
            && origin.strip_prefix("http://") != Some(host)
        {
            return Some("pages of other origins may not use the board");
        }
        let token = path.split('/').nth(1).unwrap_or("");
        let is_known = subtle::ConstantTimeEq::ct_eq(token.as_bytes(), self.token.as_bytes());
        if !bool::from(is_known) {
            return Some(
                "the address has not the token of the board; use the address that `chuhe board` has printed",
            );
        }
        None
    }
}

/// Returns on Ctrl-C and SIGTERM.
async fn end_signal() -> std::io::Result<()> {
    #[cfg(unix)]
    {
        use tokio::signal::unix::{SignalKind, signal};

        let mut terminate = signal(SignalKind::terminate())?;
        tokio::select! {
            _ = terminate.recv() => Ok(()),
            ended = tokio::signal::ctrl_c() => ended,
        }
    }
    #[cfg(not(unix))]
    tokio::signal::ctrl_c().await
}

fn router(server: &Arc<BoardServer>) -> Router {
    let api = Router::new()
        .route("/state", get(state))
        .route("/position", get(position))
        .route("/analyse", get(analyse))
        .route("/move", get(choose_move))
        .route("/draw", get(answer_draw))
        .route("/review", get(review))
        .route("/read", post(read).layer(DefaultBodyLimit::max(MAX_FILE)));
    let board = Router::new().nest("/api", api).fallback(get(file));
    Router::new()
        .nest_service(
            &format!("/{}", server.token),
            board.with_state(server.clone()),
        )
        .layer(from_fn_with_state(server.clone(), check))
}

/// Rejects requests that do not come from the page, and sets the headers of all responses.
async fn check(State(server): State<Arc<BoardServer>>, request: Request, next: Next) -> Response {
    let refusal = server.refusal(request.uri().path(), request.headers());
    let response = match refusal {
        Some(reason) => BoardError(StatusCode::FORBIDDEN, reason.to_owned()).into_response(),
        None => next.run(request).await,
    };
    let headers = [
        (CACHE_CONTROL, "no-cache"),
        (X_CONTENT_TYPE_OPTIONS, "nosniff"),
        (REFERRER_POLICY, "no-referrer"),
        (CONTENT_SECURITY_POLICY, page::POLICY),
    ];
    (headers, response).into_response()
}

/// A rejected request: the status, and the reason for the user.
struct BoardError(StatusCode, String);

impl From<String> for BoardError {
    fn from(reason: String) -> Self {
        Self(StatusCode::BAD_REQUEST, reason)
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

/// Runs blocking work on another thread.
async fn in_background(work: impl FnOnce() -> Result<Value, String> + Send + 'static) -> Reply {
    match tokio::task::spawn_blocking(work).await {
        Ok(done) => Ok(Json(done?)),
        Err(error) => Err(BoardError(
            StatusCode::INTERNAL_SERVER_ERROR,
            format!("internal error: {error}"),
        )),
    }
}

async fn file(parts: Parts) -> Result<Response, BoardError> {
    // The token is not part of the path here.
    let name = parts.uri.path().trim_start_matches('/');
    if name.is_empty() {
        let kind = content_type("index.html");
        return Ok(([(CONTENT_TYPE, kind)], page::index("board", &[])).into_response());
    }
    let missing = || BoardError(StatusCode::NOT_FOUND, format!("there is no file {name}"));
    let text = page::file(name).ok_or_else(missing)?;
    Ok(([(CONTENT_TYPE, content_type(name))], text).into_response())
}

async fn state(State(server): State<Arc<BoardServer>>) -> Json<Value> {
    let mut state = server.engine.settings();
    state["games"] = json!(server.games);
    Json(state)
}

async fn position(State(server): State<Arc<BoardServer>>, parts: Parts) -> Reply {
    in_background(move || server.engine.describe(&parameters(&parts))).await
}

async fn choose_move(State(server): State<Arc<BoardServer>>, parts: Parts) -> Reply {
    let (job, _interrupts) = server.engine.start();
    let _stop = StopOnDrop(job.clone());
    in_background(move || server.engine.choose_move(&parameters(&parts), &job)).await
}

async fn answer_draw(State(server): State<Arc<BoardServer>>, parts: Parts) -> Reply {
    let (job, _interrupts) = server.engine.start();
    let _stop = StopOnDrop(job.clone());
    in_background(move || server.engine.answer_draw(&parameters(&parts), &job)).await
}

async fn analyse(State(server): State<Arc<BoardServer>>, parts: Parts) -> Response {
    let (job, _interrupts) = server.engine.start();
    let stop = StopOnDrop(job.clone());
    stream(stop, move |send| {
        server.engine.analyse(&parameters(&parts), &job, send)
    })
}

async fn review(State(server): State<Arc<BoardServer>>, parts: Parts) -> Response {
    let (job, interrupts) = server.engine.start();
    stream(StopOnDrop(job), move |send| {
        server.engine.review(&parameters(&parts), &interrupts, send)
    })
}

/// Reads the games of an uploaded file or text.
async fn read(body: Bytes) -> Reply {
    in_background(move || read_games(&body)).await
}

fn read_games(bytes: &[u8]) -> Result<Value, String> {
    let mut reader = RecordReader::new(bytes).map_err(|error| error.to_string())?;
    let (mut games, mut problems) = (Vec::new(), Vec::new());
    for (number, game) in (1..).zip(reader.by_ref()) {
        if games.len() == MAX_GAMES {
            problems.push(format!("only the first {MAX_GAMES} games are shown"));
            break;
        }
        match game {
            Ok(game) => {
                let reasons = game.problems.iter();
                problems.extend(reasons.map(|p| format!("game {number}: {}", p.reason)));
                games.push(page::game(&game, &[]));
            }
            Err(error) => problems.push(format!("game {number}: {error}")),
        }
    }
    if let Err(error) = reader.finish() {
        problems.push(error.to_string());
    }
    if games.is_empty() {
        let reason = problems.into_iter().next();
        return Err(reason.unwrap_or_else(|| "the text contains no game".to_owned()));
    }
    problems.truncate(MAX_PROBLEMS);
    Ok(json!({ "games": games, "problems": problems }))
}

/// Server-sent events. Dropping them, when the client has gone, stops their job.
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

fn send_event(sender: &UnboundedSender<String>, (name, data): Event) -> bool {
    sender
        .send(format!("event: {name}\ndata: {data}\n\n"))
        .is_ok()
}

/// Runs a job that sends events, and `done` or `failed` as the last one.
fn stream(
    stop: StopOnDrop,
    work: impl FnOnce(&mut dyn FnMut(Event) -> bool) -> Result<Value, String> + Send + 'static,
) -> Response {
    let (sender, events) = unbounded_channel();
    tokio::task::spawn_blocking(move || {
        let done = work(&mut |event| send_event(&sender, event));
        let last = match done {
            Ok(value) => ("done", value),
            Err(error) => ("failed", json!({ "error": error })),
        };
        send_event(&sender, last);
    });
    let body = Body::new(EventStream {
        events,
        _stop: stop,
    });
    ([(CONTENT_TYPE, "text/event-stream")], body).into_response()
}
