//! The library as a server: HTTP/1.1 on one address.
//!
//! Connections are read and written by an asynchronous runtime, which can hold many idle or slow ones;
//! each request is answered by a thread of a bounded pool.

mod admin;
mod files;
mod gauges;
mod http;
mod identity;
mod metrics;
mod page;
mod public_worker;
mod rate;
mod response;
mod shared;
mod site;
mod stats;
mod work;

use std::convert::Infallible;
use std::net::{IpAddr, SocketAddr, TcpListener};
use std::sync::Arc;
use std::sync::atomic::Ordering;
use std::time::Duration;

use hyper::server::conn::http1;
use hyper::service::service_fn;
use hyper_util::rt::{TokioIo, TokioTimer};
use tokio::net::TcpStream;
use tokio::sync::{OwnedSemaphorePermit, Semaphore};

use super::library::Library;
use shared::{Admission, Shared};

pub use shared::ServerOptions;
pub use site::Site;

/// How long a client may take to send the head of a request, and to begin with the next one.
const HEAD_TIME: Duration = Duration::from_secs(5);
/// How long a connection may live. It is closed after the request under way.
const CONNECTION_TIME: Duration = Duration::from_secs(600);
/// How long requests under way may take when the server stops or a connection has lived long enough.
const CLOSING_TIME: Duration = Duration::from_secs(4);
/// How long the threads that answer requests may take after that when the server stops.
const LAST_TIME: Duration = Duration::from_millis(500);
/// What is read ahead of a connection, in bytes. A head of a request that is longer is refused, and so are most
/// that are longer than 32 KB (see `http.rs`).
const READ_AHEAD: usize = 32 << 10;

/// Makes files that grow beyond the limit of the process (`ulimit -f`) a fault of the write, as a full disk is,
/// where otherwise SIGXFSZ ends the program.
///
/// # Errors
/// The system does not let the signal be handled.
pub fn survive_file_limits() -> std::io::Result<()> {
    #[cfg(unix)]
    {
        use tokio::signal::unix::{SignalKind, signal};

        let runtime = tokio::runtime::Builder::new_current_thread()
            .enable_io()
            .build()?;
        let _inside = runtime.enter();
        // It is handled for good, though nobody waits for it.
        let kind = SignalKind::from_raw(rustix::process::Signal::XFSZ.as_raw());
        drop(signal(kind)?);
    }
    Ok(())
}

/// A server that listens.
#[derive(Debug)]
pub struct Server {
    listener: TcpListener,
    shared: Arc<Shared>,
}

impl Server {
    /// Listens on an address.
    ///
    /// # Errors
    /// The address cannot be listened on.
    pub fn bind(
        address: SocketAddr,
        library: Arc<Library>,
        options: ServerOptions,
    ) -> std::io::Result<Self> {
        let listener = TcpListener::bind(address)?;
        listener.set_nonblocking(true)?;
        let shared = Shared::new(library, options);
        let shared = Arc::new(shared);
        Ok(Self { listener, shared })
    }

    /// The address on which the server listens.
    ///
    /// # Errors
    /// The system does not tell it.
    pub fn address(&self) -> std::io::Result<SocketAddr> {
        self.listener.local_addr()
    }

    /// Answers requests until `stop` returns; then those under way are finished, for five seconds at most.
    /// `stop` runs in a thread of its own.
    ///
    /// # Errors
    /// The system starts no threads.
    pub fn run(self, stop: impl FnOnce() + Send + 'static) -> std::io::Result<()> {
        let threads = self.shared.options.threads;
        let runtime = tokio::runtime::Builder::new_multi_thread()
            .worker_threads(2)
            // One for each slot, and one that waits for the end.
            .max_blocking_threads(threads + 1)
            .thread_name("cloud server")
            .enable_io()
            .enable_time()
            .build()?;
        runtime.block_on(async move {
            let listener = tokio::net::TcpListener::from_std(self.listener)?;
            let stopped = tokio::task::spawn_blocking(stop);
            let slots = Arc::new(Semaphore::new(self.shared.options.connections));
            let accepting = accept(&listener, &self.shared, &slots);
            tokio::select! {
                () = accepting => {}
                _ = stopped => {}
            }
            drop(listener);
            let all = u32::try_from(self.shared.options.connections).unwrap_or(u32::MAX);
            self.shared.stopping.send_replace(true);
            // Whoever does not come to an end is cut off with the runtime.
            let _ = tokio::time::timeout(CLOSING_TIME, slots.acquire_many(all)).await;
            Ok::<_, std::io::Error>(())
        })?;
        runtime.shutdown_timeout(LAST_TIME);
        Ok(())
    }
}

/// Takes connections, for ever.
async fn accept(listener: &tokio::net::TcpListener, shared: &Arc<Shared>, slots: &Arc<Semaphore>) {
    loop {
        // Where there are too many, new ones wait in the system's queue.
        let Ok(slot) = slots.clone().acquire_owned().await else {
            return;
        };
        let (stream, peer) = match listener.accept().await {
            Ok(accepted) => accepted,
            Err(error) => {
                // Out of file descriptors, or a client that has gone already.
                log::warn!("cannot accept a connection: {error}");
                tokio::time::sleep(Duration::from_millis(50)).await;
                continue;
            }
        };
        let Some(admission) = shared.admit(peer.ip()) else {
            shared.metrics.refused.fetch_add(1, Ordering::Relaxed);
            continue;
        };
        shared.metrics.connections.fetch_add(1, Ordering::Relaxed);
        tokio::spawn(serve(shared.clone(), stream, peer.ip(), (slot, admission)));
    }
}

/// Answers the requests of one connection.
async fn serve(
    shared: Arc<Shared>,
    stream: TcpStream,
    peer: IpAddr,
    admission: (OwnedSemaphorePermit, Admission),
) {
    // Short replies are sent at once.
    let _ = stream.set_nodelay(true);
    let service = service_fn(|request| {
        let shared = shared.clone();
        async move { Ok::<_, Infallible>(http::handle(shared, peer, request).await) }
    });
    let connection = http1::Builder::new()
        .timer(TokioTimer::new())
        .header_read_timeout(HEAD_TIME)
        .max_buf_size(READ_AHEAD)
        .serve_connection(TokioIo::new(stream), service);
    let mut connection = std::pin::pin!(connection);
    let mut stopping = shared.stopping.subscribe();
    let is_done = tokio::select! {
        _ = &mut connection => true,
        () = tokio::time::sleep(CONNECTION_TIME) => false,
        _ = stopping.wait_for(|is_stopping| *is_stopping) => false,
    };
    if !is_done {
        connection.as_mut().graceful_shutdown();
        // A client that neither reads nor writes is cut off.
        let _ = tokio::time::timeout(CLOSING_TIME, connection).await;
    }
    drop(admission);
}
