//! What all connections share.

use std::collections::HashMap;
use std::net::IpAddr;
use std::sync::{Arc, Mutex, PoisonError};
use std::time::{Duration, Instant};

use tokio::sync::{Semaphore, watch};

use super::metrics::Metrics;
use super::rate::{RateLimit, network};
use super::site::Site;
use crate::cloud::access::{Role, Tokens};
use crate::cloud::library::Library;
use crate::cloud::store::{StoreError, TaskKind};

/// How a server is set up.
#[derive(Clone, Debug)]
pub struct ServerOptions {
    /// What those may do who show no token.
    pub anonymous: Role,
    /// Tokens that allow more.
    pub tokens: Tokens,
    /// Look-ups a second and address; `None` for 100, and no limit for the loopback.
    pub rate: Option<u32>,
    /// Proxies whose word on the address of the client is taken.
    pub proxies: Vec<IpAddr>,
    /// Addresses whose workers may speak the dialect of the public library.
    pub public_workers: Vec<IpAddr>,
    /// Files that are shown beside the page of our own.
    pub site: Site,
    /// Connections at a time, all addresses together; one address may have half of them.
    pub connections: usize,
    /// Requests that are answered at the same time.
    pub threads: usize,
}

/// Look-ups a second and address where nothing else is said.
const USUAL_RATE: u32 = 100;
/// How long the numbers of the library are repeated without counting anew.
const GAUGES_AGE: Duration = Duration::from_secs(10);

/// Numbers of the library, by name.
pub(super) type Gauges = Vec<(&'static str, i64)>;

/// What all connections share.
#[derive(Debug)]
pub(super) struct Shared {
    pub(super) library: Arc<Library>,
    pub(super) options: ServerOptions,
    rate: RateLimit,
    pub(super) metrics: Metrics,
    /// Requests that may be answered now.
    slots: Arc<Semaphore>,
    /// Open connections by address.
    open: Mutex<HashMap<IpAddr, usize>>,
    gauges: Mutex<Option<(Instant, Gauges)>>,
    /// Whether the server has been told to stop.
    pub(super) stopping: watch::Sender<bool>,
}

impl Shared {
    pub(super) fn new(library: Arc<Library>, options: ServerOptions) -> Self {
        Self {
            library,
            rate: RateLimit::new(options.rate.unwrap_or(USUAL_RATE)),
            metrics: Metrics::default(),
            slots: Arc::new(Semaphore::new(options.threads)),
            open: Mutex::default(),
            gauges: Mutex::default(),
            stopping: watch::Sender::new(false),
            options,
        }
    }

    /// Whether an address asks too much.
    pub(super) fn is_limited(&self, address: IpAddr, cost: f64) -> bool {
        let is_exempt = self.options.rate.is_none() && address.is_loopback();
        !is_exempt && !self.rate.try_acquire(address, cost, Instant::now())
    }

    /// Does work that waits for the disk, where that does not keep connections waiting.
    pub(super) async fn in_background<T: Send + 'static>(
        self: &Arc<Self>,
        work: impl FnOnce() -> T + Send + 'static,
    ) -> T {
        // Neither is the semaphore ever closed, nor does the runtime end before its requests.
        let slot = self.slots.clone().acquire_owned().await;
        let done = tokio::task::spawn_blocking(move || {
            let found = work();
            drop(slot);
            found
        });
        match done.await {
            Ok(found) => found,
            Err(error) => std::panic::resume_unwind(error.into_panic()),
        }
    }

    /// Numbers of the library.
    pub(super) fn gauges(&self) -> Result<Gauges, StoreError> {
        let mut told = self.gauges.lock().unwrap_or_else(PoisonError::into_inner);
        if let Some((time, gauges)) = &*told
            && time.elapsed() < GAUGES_AGE
        {
            return Ok(gauges.clone());
        }
        let gauges = self.library.store.read(|snapshot| {
            let positions = i64::try_from(snapshot.positions()?).unwrap_or(i64::MAX);
            Ok::<_, StoreError>(vec![
                ("positions", positions),
                ("waiting_to_be_scored", snapshot.waiting(TaskKind::Scoring)?),
                ("waiting_to_be_sieved", snapshot.waiting(TaskKind::Sieving)?),
            ])
        })?;
        *told = Some((Instant::now(), gauges.clone()));
        Ok(gauges)
    }

    /// Counts a connection of an address in; `None` where the address has too many.
    pub(super) fn admit(self: &Arc<Self>, address: IpAddr) -> Option<Admission> {
        let address = network(address);
        let mut open = self.open.lock().unwrap_or_else(PoisonError::into_inner);
        let count = open.entry(address).or_default();
        if *count >= self.options.connections.div_ceil(2) {
            return None;
        }
        *count += 1;
        let shared = self.clone();
        Some(Admission { shared, address })
    }
}

/// A connection that is counted, until it ends.
pub(super) struct Admission {
    shared: Arc<Shared>,
    address: IpAddr,
}

impl Drop for Admission {
    fn drop(&mut self) {
        let mut open = self
            .shared
            .open
            .lock()
            .unwrap_or_else(PoisonError::into_inner);
        if let Some(count) = open.get_mut(&self.address) {
            *count -= 1;
            if *count == 0 {
                open.remove(&self.address);
            }
        }
    }
}
