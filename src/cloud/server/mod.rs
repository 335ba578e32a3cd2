//! HTTP/1.1 server of a library.
//!
//! An asynchronous runtime holds the connections, of which many may be idle or slow. Each request that reads or
//! writes the library runs on a thread of a bounded pool.

mod admin;
mod api;
mod caller;
mod files;
mod jobs;
mod metrics;
mod notes;
mod rate;
mod shared;
mod site;
mod worker;

use std::io::Cursor;
use std::net::{IpAddr, Ipv4Addr, TcpListener};
use std::sync::Arc;
use std::time::Duration;

use axum::Router;
use axum::extract::Request;
use axum::middleware::{Next, from_fn, from_fn_with_state, map_request};
use axum::response::{IntoResponse, Response};
use axum::routing::{get, post};
use hyper::body::Incoming;
use hyper::header::{
    AUTHORIZATION, CACHE_CONTROL, HeaderName, HeaderValue, PRAGMA, X_CONTENT_TYPE_OPTIONS,
};
use hyper::server::conn::http1;
use hyper::service::{Service, service_fn};
use hyper::{StatusCode, Uri};
use hyper_util::rt::{TokioIo, TokioTimer};
use hyper_util::service::TowerToHyperService;
use tokio::io::{AsyncBufRead, AsyncBufReadExt, AsyncReadExt, BufReader};
use tokio::net::TcpStream;
use tokio::sync::Semaphore;
use tokio_io_timeout::TimeoutWriter;
use tower_http::set_header::SetResponseHeaderLayer;

use super::access::{Role, Tokens};
use super::library::Library;
use super::worker::tasks::{LEASE_PATH, RELEASE_PATH, SUBMIT_PATH};
use caller::{Peer, ServerError, translate_reason};
use shared::Shared;

pub use caller::language;
pub use files::{Site, content_type};
pub use shared::{ServerFiles, ServerOptions};
pub use site::{PageUser, add_slash};

/// Maximum time for a client to send the head of a request, and to start the next request.
const HEAD_TIME: Duration = Duration::from_secs(5);
/// Maximum age of a connection. It is closed after the request in progress.
const CONNECTION_TIME: Duration = Duration::from_secs(600);
/// Additional time for the request in progress when a connection reaches its maximum age. After this time the request
/// is aborted. A review of a long game on the page takes hours.
const LAST_REQUEST_TIME: Duration = Duration::from_secs(24 * 3600);
/// Maximum time for which a client may stop reading a reply.
const STALL_TIME: Duration = Duration::from_secs(300);
/// Maximum time to finish the requests in progress when the server stops.
const CLOSING_TIME: Duration = Duration::from_secs(4);
/// Additional time for the threads that answer requests when the server stops.
const SHUTDOWN_TIME: Duration = Duration::from_millis(500);
/// Number of threads for the API of the page.
const PAGE_THREADS: usize = 64;
/// Maximum length of a URL, in bytes.
const MAX_URL: usize = 16 << 10;
/// Maximum length of a request line that is read and corrected, in bytes.
const MAX_LINE: u64 = MAX_URL as u64 + 32;
/// Maximum length of the URL and the headers together, in bytes.
const MAX_HEAD: usize = 32 << 10;
/// Size of the read buffer of a connection, in bytes. It bounds the memory for a head. [`check_head`] rejects heads
/// longer than [`MAX_HEAD`].
const READ_BUFFER: usize = 32 << 10;

/// Makes a write beyond the file size limit of the process (`ulimit -f`) fail like a write to a full disk. By
/// default SIGXFSZ ends the program.
///
/// # Errors
/// The signal handler cannot be installed.
pub fn survive_file_limits() -> std::io::Result<()> {
    #[cfg(unix)]
    signal_hook::flag::register(signal_hook::consts::SIGXFSZ, Arc::default())?;
    Ok(())
}

/// A server with its listening socket.
#[derive(Debug)]
pub struct Server {
    listener: TcpListener,
    shared: Arc<Shared>,
    /// The API of the page, at `/api`.
    api: Router,
}

impl Server {
    /// A server for the connections of a listener. `api` answers the requests of the page at `/api`; their extensions
    /// contain a [`PageUser`].
    pub fn new(
        listener: TcpListener,
        library: Arc<Library>,
        options: ServerOptions,
        files: ServerFiles,
        api: Router,
    ) -> std::io::Result<Self> {
        listener.set_nonblocking(true)?;
        let shared = Shared::new(library, options, files)?;
        Ok(Self { listener, shared, api })
    }

    /// Answers requests until Ctrl-C or SIGTERM, then calls `on_stop` and waits up to five seconds for the requests in
    /// progress. SIGHUP replaces the tokens and static files by those that `reload` returns, if any.
    ///
    /// # Errors
    /// The threads cannot be started, or the signal handlers cannot be installed.
    pub fn run(
        self,
        reload: impl Fn() -> Option<ServerFiles>,
        on_stop: impl FnOnce(),
    ) -> std::io::Result<()> {
        let threads = self.shared.options.threads;
        let runtime = tokio::runtime::Builder::new_multi_thread()
            .worker_threads(2)
            // Searches of the page do not take the threads of the library.
            .max_blocking_threads(threads + PAGE_THREADS)
            .thread_name("cloud server")
            .enable_io()
            .enable_time()
            .build()?;
        // A PostgreSQL connection can only be closed outside a runtime, so the library is kept until the runtime ends.
        let _library = self.shared.clone();
        runtime.block_on(async move {
            let listener = tokio::net::TcpListener::from_std(self.listener)?;
            let slots = Arc::new(Semaphore::new(self.shared.options.connections));
            let router = router(self.shared.clone(), self.api);
            tokio::select! {
                () = accept(&listener, router, &self.shared, &slots) => {}
                () = jobs::advance(self.shared.clone()) => {}
                result = handle_signals(&self.shared, reload) => result?,
            }
            drop(listener);
            on_stop();
            let all = u32::try_from(self.shared.options.connections).unwrap_or(u32::MAX);
            self.shared.stopping.send_replace(true);
            // Connections that do not end in time are closed with the runtime.
            let _ = tokio::time::timeout(CLOSING_TIME, slots.acquire_many(all)).await;
            Ok::<_, std::io::Error>(())
        })?;
        runtime.shutdown_timeout(SHUTDOWN_TIME);
        Ok(())
    }
}

/// The routes of a library in the server of `chuhe board`. Its only user may write.
#[derive(Debug)]
pub struct LibraryRoutes {
    shared: Arc<Shared>,
    /// The header with the token of the user.
    authorization: HeaderValue,
}

impl LibraryRoutes {
    /// The routes for the user with this name, or with the name `user` if this one is reserved or invalid.
    pub fn new(library: Arc<Library>, user: &str) -> std::io::Result<Self> {
        let secret = format!("{:032x}", rand::random::<u128>());
        let tokens = Tokens::parse(&format!("write {user} {secret}"))
            .or_else(|_| Tokens::parse(&format!("write user {secret}")));
        let files =
            ServerFiles { tokens: tokens.map_err(std::io::Error::other)?, site: Site::default() };
        let options = ServerOptions {
            anonymous: Role::Nothing,
            rate: None,
            proxies: Vec::new(),
            public_workers: Vec::new(),
            connections: 2,
            threads: 8,
        };
        let shared = Shared::new(library, options, files)?;
        let authorization = HeaderValue::try_from(format!("Bearer {secret}"));
        Ok(Self { shared, authorization: authorization.map_err(std::io::Error::other)? })
    }

    /// The routes, with those of the page at `/api`.
    pub fn router(&self, api: Router) -> Router {
        let authorization = self.authorization.clone();
        let identify = move |mut request: Request| {
            request.extensions_mut().insert(Peer(Ipv4Addr::LOCALHOST.into()));
            request.headers_mut().insert(AUTHORIZATION, authorization.clone());
            std::future::ready(request)
        };
        routes(api).layer(map_request(identify)).with_state(self.shared.clone())
    }

    /// Advances uploaded jobs forever.
    pub async fn advance(&self) {
        jobs::advance(self.shared.clone()).await;
    }
}

/// Returns on Ctrl-C or, on Unix, SIGTERM.
pub async fn end_signal() -> std::io::Result<()> {
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

/// Reloads files on SIGHUP; returns on Ctrl-C and SIGTERM.
#[cfg(unix)]
async fn handle_signals(
    shared: &Shared,
    reload: impl Fn() -> Option<ServerFiles>,
) -> std::io::Result<()> {
    use tokio::signal::unix::{SignalKind, signal};

    let mut end = std::pin::pin!(end_signal());
    let mut hangup = signal(SignalKind::hangup())?;
    loop {
        tokio::select! {
            result = &mut end => return result,
            _ = hangup.recv() => {
                if let Some(files) = tokio::task::block_in_place(&reload) {
                    shared.set_files(files);
                }
            }
        }
    }
}

#[cfg(not(unix))]
async fn handle_signals(_: &Shared, _: impl Fn() -> Option<ServerFiles>) -> std::io::Result<()> {
    end_signal().await
}

/// Accepts connections forever.
async fn accept(
    listener: &tokio::net::TcpListener,
    router: Router,
    shared: &Arc<Shared>,
    slots: &Arc<Semaphore>,
) {
    loop {
        // Beyond the maximum number of connections, new ones wait in the queue of the system.
        let Ok(slot) = slots.clone().acquire_owned().await else {
            return;
        };
        let (stream, peer) = match listener.accept().await {
            Ok(accepted) => accepted,
            Err(error) => {
                // Out of file descriptors, or the client has already closed the connection.
                log::warn!("cannot accept a connection: {error}");
                tokio::time::sleep(Duration::from_millis(50)).await;
                continue;
            }
        };
        let Some(admission) = shared.admit(peer.ip()) else {
            shared.metrics.refused.inc();
            continue;
        };
        shared.metrics.connections.inc();
        let connection = serve(router.clone(), stream, peer.ip(), shared.clone());
        tokio::spawn(async move {
            connection.await;
            drop((slot, admission));
        });
    }
}

/// HTTP/1.1 with limits on the time and the size of the head of a request.
pub fn http() -> http1::Builder {
    let mut http = http1::Builder::new();
    http.timer(TokioTimer::new())
        .header_read_timeout(HEAD_TIME)
        .max_buf_size(READ_BUFFER)
        // A client may close its side after the request, as `nc -N` does.
        .half_close(true);
    http
}

async fn serve(router: Router, stream: TcpStream, peer: IpAddr, shared: Arc<Shared>) {
    // Sends short replies without delay.
    let _ = stream.set_nodelay(true);
    let router = TowerToHyperService::new(router);
    let service = service_fn(move |mut request: hyper::Request<Incoming>| {
        request.extensions_mut().insert(Peer(peer));
        merge_slashes(request.uri_mut());
        router.call(request)
    });
    let (reader, writer) = stream.into_split();
    let mut writer = Box::pin(TimeoutWriter::new(writer));
    writer.as_mut().set_timeout_pinned(Some(STALL_TIME));
    let mut reader = BufReader::new(reader);
    let mut stopping = shared.stopping.subscribe();
    let line = tokio::select! {
        line = tokio::time::timeout(HEAD_TIME, read_first_line(&mut reader)) => line,
        _ = stopping.wait_for(|is_stopping| *is_stopping) => return,
    };
    // The client has sent no complete line in time, or the connection is broken.
    let Ok(Ok((line, is_corrected))) = line else {
        return;
    };
    let reader = Cursor::new(line).chain(reader);
    let stream = TokioIo::new(tokio::io::join(reader, writer));
    // Only the first request line is corrected, so such a client must open a connection for each request.
    let connection = (http().keep_alive(!is_corrected)).serve_connection(stream, service);
    let mut connection = std::pin::pin!(connection);
    tokio::select! {
        _ = &mut connection => return,
        () = tokio::time::sleep(CONNECTION_TIME) => {}
        _ = stopping.wait_for(|is_stopping| *is_stopping) => {}
    }
    connection.as_mut().graceful_shutdown();
    let is_stopping = tokio::select! {
        _ = &mut connection => false,
        () = tokio::time::sleep(LAST_REQUEST_TIME) => false,
        _ = stopping.wait_for(|is_stopping| *is_stopping) => true,
    };
    if is_stopping {
        let _ = tokio::time::timeout(CLOSING_TIME, connection).await;
    }
}

/// Reads the first line of a connection, or the start of a line that is too long. Also returns whether characters of
/// the URL were encoded: some programs send URLs with spaces (in a FEN) or GBK text, which hyper rejects.
async fn read_first_line(stream: impl AsyncBufRead + Unpin) -> std::io::Result<(Vec<u8>, bool)> {
    let mut line = Vec::new();
    stream.take(MAX_LINE).read_until(b'\n', &mut line).await?;
    Ok(match corrected(&line) {
        Some(corrected) => (corrected, true),
        None => (line, false),
    })
}

/// A request line of HTTP/1 with percent-encoding for the spaces, tabs, `"`, `<`, `>` and invalid UTF-8 of its URL;
/// `None` if nothing changes.
fn corrected(line: &[u8]) -> Option<Vec<u8>> {
    let version = b" HTTP/1.";
    let begin = line.iter().position(|byte| *byte == b' ')? + 1;
    let end = line.windows(version.len()).rposition(|part| part == version)?;
    let mut corrected = line[..begin].to_vec();
    let is_utf8 = std::str::from_utf8(line).is_ok();
    for byte in line.get(begin..end)? {
        match byte {
            b' ' | b'\t' | b'"' | b'<' | b'>' => corrected.extend(format!("%{byte:02X}").bytes()),
            0x80.. if !is_utf8 => corrected.extend(format!("%{byte:02X}").bytes()),
            _ => corrected.push(*byte),
        }
    }
    corrected.extend(&line[end..]);
    (corrected.len() > line.len()).then_some(corrected)
}

/// Replaces repeated slashes in the path of a URL by one, as nginx does. Some clients append `/chessdb.php` to an
/// address that ends with a slash.
fn merge_slashes(uri: &mut Uri) {
    let mut path = uri.path().to_owned();
    while path.contains("//") {
        path = path.replace("//", "/");
    }
    if path == uri.path() {
        return;
    }
    if let Some(query) = uri.query() {
        path = format!("{path}?{query}");
    }
    // A host in the URL is lost; nothing uses it.
    if let Ok(merged) = path.parse() {
        *uri = merged;
    }
}

fn router(shared: Arc<Shared>, api: Router) -> Router {
    let files = get(site::file).post(site::file);
    let page = get(site::page).post(site::page);
    let no_cache = |name: HeaderName| {
        SetResponseHeaderLayer::overriding(name, HeaderValue::from_static("no-cache"))
    };
    let api = api.layer(from_fn_with_state(shared.clone(), site::check_api));
    let no_sniff = HeaderValue::from_static("nosniff");
    routes(api.clone())
        .fallback_service(files.with_state(shared.clone()))
        .nest_service(
            site::OWN_PAGE,
            routes(api)
                .fallback_service(page.with_state(shared.clone()))
                .with_state(shared.clone()),
        )
        .layer(from_fn(redirect_page))
        .layer(from_fn(check_head))
        .layer(no_cache(CACHE_CONTROL))
        .layer(no_cache(PRAGMA))
        .layer(SetResponseHeaderLayer::overriding(X_CONTENT_TYPE_OPTIONS, no_sniff))
        .with_state(shared)
}

/// The routes of the library, with those of the page at `/api`.
fn routes(api: Router) -> Router<Arc<Shared>> {
    let actions = get(api::answer).post(api::answer).options(api::preflight);
    Router::new()
        .nest_service("/api", api)
        .route("/chessdb.php", actions.clone())
        .route("/chessdb.php/", actions)
        .route(LEASE_PATH, post(worker::lease))
        .route(SUBMIT_PATH, post(worker::submit))
        .route(RELEASE_PATH, post(worker::release))
        .route("/admin/log", get(admin::log).post(admin::log))
        .route("/admin/undo", post(admin::undo))
        .route("/admin/redo", post(admin::redo))
        .route("/admin/undos", get(admin::undos).post(admin::undos))
        .route("/admin/empty", post(admin::empty_queue))
        .route("/notes", get(notes::list).post(notes::write))
        .route("/jobs", get(jobs::list).post(jobs::upload))
        .route("/jobs/{id}", get(jobs::show))
        .route("/jobs/{id}/cancel", post(jobs::cancel))
        .route("/metrics", get(admin::metrics).post(admin::metrics))
        .route("/stats", get(admin::stats).post(admin::stats))
        .route("/stats.php", get(admin::public_stats).post(admin::public_stats))
        .route("/engine", get(api::engine).post(api::engine))
        .route("/board", get(site::board).post(site::board))
        .layer(from_fn(translate_reason))
}

/// Redirects [`site::OWN_PAGE`] to the same path with a slash at its end.
async fn redirect_page(request: Request, next: Next) -> Response {
    if request.uri().path() == site::OWN_PAGE {
        site::add_slash(request.uri())
    } else {
        next.run(request).await
    }
}

/// Rejects requests whose URL or headers are too long.
async fn check_head(request: Request, next: Next) -> Response {
    let url = request.uri().path_and_query();
    let url = url.map_or(0, |url| url.as_str().len());
    let headers = request.headers().iter();
    let headers = headers.map(|(name, value)| name.as_str().len() + value.len() + ": \r\n".len());
    if url > MAX_URL {
        ServerError::Status(StatusCode::URI_TOO_LONG).into_response()
    } else if url + headers.sum::<usize>() > MAX_HEAD {
        ServerError::Status(StatusCode::REQUEST_HEADER_FIELDS_TOO_LARGE).into_response()
    } else {
        next.run(request).await
    }
}
