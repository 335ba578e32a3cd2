//! State shared by all connections.

use std::collections::HashMap;
use std::net::IpAddr;
use std::panic::resume_unwind;
use std::sync::Arc;
use std::time::Instant;

use hyper::StatusCode;
use parking_lot::{Mutex, RwLock};
use tokio::sync::{Semaphore, watch};

use super::files::Site;
use super::metrics::{CountCache, Metrics};
use super::rate::{RateLimit, network};
use crate::cloud::access::{Role, Tokens};
use crate::cloud::library::Library;
use crate::cloud::store::StoreError;

/// Settings of a server. An IPv6 network of 64 bits counts as one address.
#[derive(Clone, Debug)]
pub struct ServerOptions {
    /// Role of clients without a token.
    pub anonymous: Role,
    /// Maximum cost of requests per second and address, where a query costs 1. `None` is 100, but no limit for loopback
    /// addresses.
    pub rate: Option<u32>,
    /// Proxies whose header `X-Forwarded-For` is trusted.
    pub proxies: Vec<IpAddr>,
    /// Addresses of workers of the public library.
    pub public_workers: Vec<IpAddr>,
    /// Maximum number of connections. One address may use half of them, a proxy of `proxies` all.
    pub connections: usize,
    /// Maximum number of requests that are answered at the same time.
    pub threads: usize,
}

/// Files that a running server reloads on SIGHUP.
#[derive(Clone, Debug, Default)]
pub struct ServerFiles {
    pub tokens: Tokens,
    /// Files that are served in addition to the built-in page.
    pub site: Site,
}

/// Default of [`ServerOptions::rate`].
const DEFAULT_RATE: u32 = 100;
/// Maximum number of invalid tokens per second and address.
const INVALID_TOKENS: u32 = 5;
/// Time in seconds for which requests with an invalid token are rejected after their address has reached
/// [`INVALID_TOKENS`].
const TOKEN_PAUSE: f64 = 10.0;

#[derive(Debug)]
pub struct Shared {
    pub library: Arc<Library>,
    pub options: ServerOptions,
    files: RwLock<Arc<ServerFiles>>,
    pub metrics: Metrics,
    pub counts: CountCache,
    rate: RateLimit,
    invalid_tokens: RateLimit,
    /// One permit for each request that may be answered at the same time.
    slots: Arc<Semaphore>,
    /// Number of open connections by [`network`].
    open: Mutex<HashMap<IpAddr, usize>>,
    pub stopping: watch::Sender<bool>,
}

impl Shared {
    pub fn new(
        library: Arc<Library>,
        options: ServerOptions,
        files: ServerFiles,
    ) -> std::io::Result<Arc<Self>> {
        Ok(Arc::new(Self {
            library,
            files: RwLock::new(Arc::new(files)),
            metrics: Metrics::new().map_err(std::io::Error::other)?,
            counts: CountCache::default(),
            rate: RateLimit::new(options.rate.unwrap_or(DEFAULT_RATE)),
            invalid_tokens: RateLimit::new(INVALID_TOKENS),
            slots: Arc::new(Semaphore::new(options.threads)),
            open: Mutex::default(),
            stopping: watch::Sender::new(false),
            options,
        }))
    }

    pub fn files(&self) -> Arc<ServerFiles> {
        self.files.read().clone()
    }

    #[cfg(unix)]
    pub fn set_files(&self, files: ServerFiles) {
        *self.files.write() = Arc::new(files);
    }

    /// Takes the cost of a request from the rate limit of an address. Fails with status 429 if the limit is exceeded.
    pub fn limit(&self, address: IpAddr, cost: f64) -> Result<(), StatusCode> {
        let now = Instant::now();
        self.check(self.is_exempt(address) || self.rate.try_acquire(address, cost, now))
    }

    /// Counts an invalid token. Fails with status 429 if the address has sent too many of them.
    pub fn limit_invalid_tokens(&self, address: IpAddr) -> Result<(), StatusCode> {
        let now = Instant::now();
        let is_allowed = self.is_exempt(address)
            || self.invalid_tokens.try_acquire_or_pause(address, TOKEN_PAUSE, now);
        self.check(is_allowed)
    }

    /// Fails with status 429 and counts the request unless it is allowed.
    fn check(&self, is_allowed: bool) -> Result<(), StatusCode> {
        self.metrics.limited.inc_by((!is_allowed).into());
        if is_allowed { Ok(()) } else { Err(StatusCode::TOO_MANY_REQUESTS) }
    }

    fn is_exempt(&self, address: IpAddr) -> bool {
        self.options.rate.is_none() && address.is_loopback()
    }

    /// Reads or writes the library on a thread of the pool. Counts failures.
    pub async fn in_library<T: Send + 'static>(
        &self,
        work: impl FnOnce(&Library) -> Result<T, StoreError> + Send + 'static,
    ) -> Result<T, StoreError> {
        // Acquiring a slot never fails, because the semaphore is never closed. The work is never canceled, because the
        // runtime is shut down only after the last request. So `done` fails only if the work has panicked.
        let slot = self.slots.clone().acquire_owned().await;
        let library = self.library.clone();
        let done = tokio::task::spawn_blocking(move || {
            let found = work(&library);
            drop(slot);
            found
        });
        let found = done.await.unwrap_or_else(|error| resume_unwind(error.into_panic()));
        self.metrics.failed.inc_by(found.is_err().into());
        found
    }

    /// Whether this address is that of a listed proxy.
    pub fn is_proxy(&self, address: IpAddr) -> bool {
        self.options.proxies.contains(&address.to_canonical())
    }

    /// Counts a new connection of an address; `None` if the address has too many and is not a listed proxy.
    pub fn admit(self: &Arc<Self>, address: IpAddr) -> Option<Admission> {
        let is_proxy = self.is_proxy(address);
        let address = network(address);
        let mut open = self.open.lock();
        let count = open.entry(address).or_default();
        if *count >= self.options.connections.div_ceil(2) && !is_proxy {
            return None;
        }
        *count += 1;
        let shared = self.clone();
        Some(Admission { shared, address })
    }
}

/// An open connection; dropping it decreases the count.
pub struct Admission {
    shared: Arc<Shared>,
    address: IpAddr,
}

impl Drop for Admission {
    fn drop(&mut self) {
        let mut open = self.shared.open.lock();
        if let Some(count) = open.get_mut(&self.address) {
            *count -= 1;
            if *count == 0 {
                open.remove(&self.address);
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::cloud::library::tests::empty;
    use crate::cloud::server::LibraryRoutes;

    #[test]
    fn failures_are_counted() {
        let (_directory, library) = empty();
        let shared = LibraryRoutes::new(Arc::new(library), "user").unwrap().shared;
        let runtime = tokio::runtime::Builder::new_current_thread().build().unwrap();
        for found in [Ok(()), Err(StoreError::Damaged("id"))] {
            // The result is not needed.
            let _ = runtime.block_on(shared.in_library(|_| found));
        }
        assert_eq!(shared.metrics.failed.get(), 1);
    }
}
