//! The server of the board, on the loopback interface.
//!
//! All paths begin with a random token, and requests with another host name or from a page of another origin are
//! rejected. So neither other users of the machine nor other web pages, even by DNS rebinding, can use the engine.

use std::net::{SocketAddr, TcpListener};
use std::sync::Arc;
use std::time::Duration;

use axum::Router;
use axum::extract::{Request, State};
use axum::middleware::{Next, from_fn_with_state};
use axum::response::{IntoResponse, Response};
use axum::routing::get;
use hyper::StatusCode;
use hyper::header::{
    CACHE_CONTROL, CONTENT_SECURITY_POLICY, CONTENT_TYPE, HOST, HeaderMap, ORIGIN, REFERRER_POLICY,
    X_CONTENT_TYPE_OPTIONS,
};
use hyper::http::request::Parts;
use hyper_util::rt::TokioIo;
use hyper_util::service::TowerToHyperService;
use tokio::sync::Semaphore;

use super::api::{self, Api, BoardError};
use crate::cloud::server::{LibraryRoutes, add_slash, content_type, end_signal, http};
use crate::page;

/// Time limit for the running threads to finish when the server ends.
const SHUTDOWN_TIMEOUT: Duration = Duration::from_millis(500);
const MAX_CONNECTIONS: usize = 256;

pub struct BoardServer {
    api: Arc<Api>,
    library: Option<LibraryRoutes>,
    token: String,
    listening: SocketAddr,
}

impl BoardServer {
    pub fn new(
        api: Api,
        library: Option<LibraryRoutes>,
        token: String,
        listener: &TcpListener,
    ) -> std::io::Result<Self> {
        listener.set_nonblocking(true)?;
        Ok(Self { api: Arc::new(api), library, token, listening: listener.local_addr()? })
    }

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
        let running = server.clone();
        let result = runtime.block_on(async move {
            let listener = tokio::net::TcpListener::from_std(listener)?;
            tokio::select! {
                () = accept(&listener, router) => Ok(()),
                () = advance(running.library.as_ref()) => Ok(()),
                ended = end_signal() => ended,
            }
        });
        server.api.stop();
        runtime.shutdown_timeout(SHUTDOWN_TIMEOUT);
        result
    }

    /// The reason to reject a request: a wrong host, port, origin or token. `None` if the request is allowed.
    fn refusal(&self, path: &str, headers: &HeaderMap) -> Option<&'static str> {
        let text = |name| headers.get(name).map(|value| value.to_str().unwrap_or(""));
        let host = text(HOST).unwrap_or("");
        if !is_own_host(host, self.listening.port()) {
            return Some(
                "open the board as 127.0.0.1 or localhost with its own port; a tunnel must keep the port",
            );
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
                "the address does not contain the token of the board; use the address that `chuhe board` has printed",
            );
        }
        None
    }
}

/// Whether the header `Host` names this server. Clients leave out port 80.
fn is_own_host(host: &str, port: u16) -> bool {
    let (name, number) = host.rsplit_once(':').unwrap_or((host, "80"));
    let is_local = name == "127.0.0.1" || name.eq_ignore_ascii_case("localhost");
    is_local && number == port.to_string()
}

/// Answers the requests of all connections. The limits on the head of a request are those of `chuhe serve`.
async fn accept(listener: &tokio::net::TcpListener, router: Router) {
    let slots = Arc::new(Semaphore::new(MAX_CONNECTIONS));
    // The semaphore is never closed.
    while let Ok(slot) = slots.clone().acquire_owned().await {
        let (stream, _) = match listener.accept().await {
            Ok(accepted) => accepted,
            Err(error) => {
                // Out of file descriptors, or the client has already closed the connection.
                log::warn!("cannot accept a connection: {error}");
                tokio::time::sleep(Duration::from_millis(50)).await;
                continue;
            }
        };
        let service = TowerToHyperService::new(router.clone());
        tokio::spawn(async move {
            // A client may disconnect at any time.
            let _ = http().serve_connection(TokioIo::new(stream), service).await;
            drop(slot);
        });
    }
}

/// Advances the jobs of a library, forever.
async fn advance(library: Option<&LibraryRoutes>) {
    match library {
        Some(library) => library.advance().await,
        None => std::future::pending().await,
    }
}

fn router(server: &Arc<BoardServer>) -> Router {
    let api = api::router(server.api.clone());
    let routes = match &server.library {
        Some(library) => library.router(api),
        None => Router::new().nest("/api", api),
    };
    let files = get(file).with_state(server.clone());
    let board = routes.fallback_service(files);
    Router::new()
        .nest_service(&format!("/{}", server.token), board)
        .layer(from_fn_with_state(server.clone(), check))
}

/// Rejects requests with a wrong host name, origin or token, and sets the headers of all responses.
async fn check(State(server): State<Arc<BoardServer>>, request: Request, next: Next) -> Response {
    let uri = request.uri();
    let refusal = server.refusal(uri.path(), request.headers());
    let response = match refusal {
        Some(reason) => {
            BoardError::new(StatusCode::FORBIDDEN, reason, request.headers()).into_response()
        }
        // The path is the token without a slash after it.
        None if uri.path().rfind('/') == Some(0) => add_slash(uri),
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

async fn file(
    State(server): State<Arc<BoardServer>>,
    parts: Parts,
) -> Result<Response, BoardError> {
    // The token is not part of the path here.
    let name = parts.uri.path().trim_start_matches('/');
    if name.is_empty() {
        let kind = content_type("index.html");
        let usage = match server.library {
            Some(_) => "board library",
            None => "board",
        };
        return Ok(([(CONTENT_TYPE, kind)], page::index(usage)).into_response());
    }
    let missing = || {
        let reason = format!("there is no file {name}");
        BoardError::new(StatusCode::NOT_FOUND, &reason, &parts.headers)
    };
    let text = page::file(name).ok_or_else(missing)?;
    Ok(([(CONTENT_TYPE, content_type(name))], text).into_response())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_port_80_may_be_left_out() {
        for (host, port, is_own) in [
            ("127.0.0.1", 80, true),
            ("LocalHost:80", 80, true),
            ("localhost", 8080, false),
            ("127.0.0.1:8080", 8080, true),
            ("127.0.0.1:8080", 80, false),
            ("example.org", 80, false),
            ("", 80, false),
        ] {
            assert_eq!(is_own_host(host, port), is_own, "{host} {port}");
        }
    }
}
