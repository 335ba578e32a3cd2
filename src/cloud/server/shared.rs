//! What all connections share.

use std::collections::HashMap;
use std::net::IpAddr;
use std::sync::Arc;
use std::time::{Duration, Instant};

use parking_lot::{Mutex, MutexGuard};
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
/// Unknown tokens that an address may show a second.
const REFUSALS: u32 = 5;
/// How long the numbers of the library are repeated without counting anew.
const GAUGES_AGE: Duration = Duration::from_secs(10);

/// Numbers of the library, by name.
pub type Gauges = Vec<(&'static str, i64)>;

/// Numbers of the library, and when they were counted.
type CountedGauges = (Instant, Gauges);

/// What all connections share.
#[derive(Debug)]
pub struct Shared {
    pub library: Arc<Library>,
    pub options: ServerOptions,
    rate: RateLimit,
    /// Tokens that are not known.
    refusals: RateLimit,
    pub metrics: Metrics,
    /// Requests that may be answered now.
    slots: Arc<Semaphore>,
    /// Open connections by address.
    open: Mutex<HashMap<IpAddr, usize>>,
    gauges: Mutex<Option<CountedGauges>>,
    /// Held while the numbers of the library are counted.
    counting: Mutex<()>,
    /// Whether the server has been output to stop.
    pub stopping: watch::Sender<bool>,
}

impl Shared {
    pub fn new(library: Arc<Library>, options: ServerOptions) -> Self {
        Self {
            library,
            rate: RateLimit::new(options.rate.unwrap_or(USUAL_RATE)),
            refusals: RateLimit::new(REFUSALS),
            metrics: Metrics::default(),
            slots: Arc::new(Semaphore::new(options.threads)),
            open: Mutex::default(),
            gauges: Mutex::default(),
            counting: Mutex::default(),
            stopping: watch::Sender::new(false),
            options,
        }
    }

    /// Whether an address asks too much.
    pub fn is_limited(&self, address: IpAddr, cost: f64) -> bool {
        !self.is_exempt(address) && !self.rate.try_acquire(address, cost, Instant::now())
    }

    /// Whether an address has shown so many unknown tokens that it may show none now.
    pub fn has_too_many_attempts(&self, address: IpAddr) -> bool {
        !self.is_exempt(address) && !self.refusals.has_room(address, Instant::now())
    }

    /// Notes that an address has shown a token that is not known.
    pub fn note_refusal(&self, address: IpAddr) {
        // Whether there is still room is asked with the next one.
        let _ = self.refusals.try_acquire(address, 1.0, Instant::now());
    }

    fn is_exempt(&self, address: IpAddr) -> bool {
        self.options.rate.is_none() && address.is_loopback()
    }

    /// Does work that waits for the disk, where that does not keep connections waiting.
    pub async fn in_background<T: Send + 'static>(
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

    /// Numbers of the library. While one request counts them anew the others get the old ones, once there are
    /// some.
    pub fn gauges(&self) -> Result<Gauges, StoreError> {
        let is_new = |(time, _): &CountedGauges| time.elapsed() < GAUGES_AGE;
        let output = self.cached_gauges().clone();
        let counting = match &output {
            Some(output) if is_new(output) => return Ok(output.1.clone()),
            Some((_, gauges)) => match self.counting.try_lock() {
                None => return Ok(gauges.clone()),
                Some(counting) => counting,
            },
            None => self.counting.lock(),
        };
        // Another request may have counted since.
        let output = self.cached_gauges().clone();
        if let Some((_, gauges)) = output.filter(is_new) {
            return Ok(gauges);
        }
        let gauges = self.library.store.read(|snapshot| {
            let positions = i64::try_from(snapshot.positions()?).unwrap_or(i64::MAX);
            Ok::<_, StoreError>(vec![
                ("positions", positions),
                ("waiting_to_be_scored", snapshot.waiting(TaskKind::Scoring)?),
                (
                    "waiting_to_be_sieved",
                    snapshot.waiting(TaskKind::Expansion)?,
                ),
            ])
        })?;
        *self.cached_gauges() = Some((Instant::now(), gauges.clone()));
        drop(counting);
        Ok(gauges)
    }

    fn cached_gauges(&self) -> MutexGuard<'_, Option<CountedGauges>> {
        self.gauges.lock()
    }

    /// Counts a connection of an address in; `None` where the address has too many.
    pub fn admit(self: &Arc<Self>, address: IpAddr) -> Option<Admission> {
        let address = network(address);
        let mut open = self.open.lock();
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
    use crate::cloud::library::LibraryOptions;
    use crate::cloud::store::Store;
    use crate::tablebase::Tables;

    #[test]
    fn statistics_are_computed_by_one_request_at_a_time() {
        let directory = tempfile::tempdir().unwrap();
        let store = Store::open(&directory.path().join("library.db")).unwrap();
        let library = Library::new(store, Tables::embedded(), LibraryOptions::default());
        let options = ServerOptions {
            anonymous: Role::Read,
            tokens: Tokens::default(),
            rate: None,
            proxies: Vec::new(),
            public_workers: Vec::new(),
            site: Site::default(),
            connections: 1,
            threads: 1,
        };
        let shared = Shared::new(Arc::new(library), options);
        let counted = shared.gauges().unwrap();
        assert_eq!((counted.len(), counted[0]), (3, ("positions", 0)));
        let old = vec![("positions", 7)];
        let long_ago = Instant::now().checked_sub(GAUGES_AGE).unwrap();
        *shared.cached_gauges() = Some((long_ago, old.clone()));
        let counting = shared.counting.lock();
        assert_eq!(shared.gauges().unwrap(), old);
        drop(counting);
        assert_eq!(shared.gauges().unwrap(), counted);
        // Now they are new again.
        *shared.cached_gauges() = Some((Instant::now(), old.clone()));
        assert_eq!(shared.gauges().unwrap(), old);
    }
}
