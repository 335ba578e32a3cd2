//! The rate limit of each address.

use std::collections::HashMap;
use std::net::IpAddr;
use std::time::Instant;

use parking_lot::Mutex;

/// Maximum number of addresses with a bucket.
const MAX_BUCKETS: usize = 65_536;

/// A token bucket for each address. Each request takes its cost from the bucket.
#[derive(Debug)]
pub struct RateLimit {
    /// The number of units that are added to a bucket per second, and its capacity.
    rate: f64,
    buckets: Mutex<HashMap<IpAddr, Bucket>>,
}

#[derive(Debug)]
struct Bucket {
    /// The number of units left when the bucket was last refilled and used; negative after an expensive request or
    /// during a pause.
    left: f64,
    refilled: Instant,
}

impl RateLimit {
    pub fn new(rate: u32) -> Self {
        Self { rate: f64::from(rate), buckets: Mutex::default() }
    }

    /// Takes the cost of a request from the bucket of an address. Returns `false` if the bucket has too few units. A
    /// cost above the capacity requires only a full bucket, and leaves a negative number of units.
    pub fn try_acquire(&self, address: IpAddr, cost: f64, now: Instant) -> bool {
        self.with_bucket(address, now, |left| {
            if *left < cost.min(self.rate) {
                return false;
            }
            *left -= cost;
            true
        })
    }

    /// Takes a unit from the bucket of an address. If less than one unit remains, the next one is available only after
    /// `seconds`. Returns `false` if the bucket has less than one unit.
    pub fn try_acquire_or_pause(&self, address: IpAddr, seconds: f64, now: Instant) -> bool {
        self.with_bucket(address, now, |left| {
            if *left < 1.0 {
                return false;
            }
            *left -= 1.0;
            if *left < 1.0 {
                *left = 1.0 - seconds * self.rate;
            }
            true
        })
    }

    /// Refills the bucket of an address and applies `take` to its units.
    fn with_bucket(
        &self,
        address: IpAddr,
        now: Instant,
        take: impl FnOnce(&mut f64) -> bool,
    ) -> bool {
        let mut buckets = self.buckets.lock();
        // While there are too many buckets, removes the full ones, then those with at least 0 units, then all.
        for limit in [self.rate, 0.0, f64::NEG_INFINITY] {
            if buckets.len() >= MAX_BUCKETS {
                buckets.retain(|_, bucket| self.left(bucket, now) < limit);
            }
        }
        let bucket =
            buckets.entry(network(address)).or_insert(Bucket { left: self.rate, refilled: now });
        bucket.left = self.left(bucket, now);
        bucket.refilled = now;
        take(&mut bucket.left)
    }

    /// The number of units of a bucket, including those added since it was last refilled.
    fn left(&self, bucket: &Bucket, now: Instant) -> f64 {
        let passed = now.saturating_duration_since(bucket.refilled).as_secs_f64();
        (bucket.left + passed * self.rate).min(self.rate)
    }
}

/// The network that is limited as one address: the first 64 bits of an IPv6 address, or an IPv4 address.
pub fn network(address: IpAddr) -> IpAddr {
    match address.to_canonical() {
        IpAddr::V6(v6) => {
            let [a, b, c, d, ..] = v6.segments();
            std::net::Ipv6Addr::new(a, b, c, d, 0, 0, 0, 0).into()
        }
        v4 => v4,
    }
}

#[cfg(test)]
mod tests {
    use std::net::Ipv4Addr;
    use std::time::Duration;

    use super::*;

    #[test]
    fn buckets_fill_with_time() {
        let limit = RateLimit::new(10);
        let [one, other]: [IpAddr; 2] = ["10.0.0.1", "10.0.0.2"].map(|text| text.parse().unwrap());
        let begin = Instant::now();
        let granted = |address, cost, millis| {
            let now = begin + Duration::from_millis(millis);
            (0..30).filter(|_| limit.try_acquire(address, cost, now)).count()
        };
        assert_eq!(granted(one, 1.0, 0), 10);
        assert_eq!(granted(other, 5.0, 0), 2);
        assert_eq!(granted(one, 1.0, 500), 5);
        assert_eq!(granted(one, 1.0, 60_000), 10);
        assert_eq!(granted(one, 1.0, 62_000), 10);
        // After an expensive request the bucket is empty for longer.
        assert_eq!(granted(other, 20.0, 60_000), 1);
        assert_eq!(granted(other, 1.0, 61_000), 0);
        assert_eq!(granted(other, 1.0, 62_000), 10);
    }

    #[test]
    fn an_empty_bucket_pauses() {
        let limit = RateLimit::new(5);
        let address = "10.0.0.1".parse().unwrap();
        let begin = Instant::now();
        let granted = |millis| {
            let now = begin + Duration::from_millis(millis);
            let is_granted = |_: &i32| limit.try_acquire_or_pause(address, 10.0, now);
            (0..9).filter(is_granted).count()
        };
        assert_eq!([0, 5_000, 9_900].map(granted), [5, 0, 0]);
        // After the pause one more is granted before the next pause.
        assert_eq!([10_100, 19_900, 30_000].map(granted), [1, 0, 5]);
        // Many other addresses do not end the pause.
        for others in [1, 2] {
            for number in 0..MAX_BUCKETS as u32 {
                let other = Ipv4Addr::from_bits((others << 24) | number);
                let now = begin + Duration::from_secs(30 + u64::from(others));
                assert!(limit.try_acquire_or_pause(other.into(), 10.0, now));
            }
            assert!(limit.buckets.lock().len() <= MAX_BUCKETS);
        }
        assert_eq!([39_900, 41_000].map(granted), [0, 5]);
    }

    #[test]
    fn ipv6_networks_share_a_bucket() {
        let parse = |text: &str| network(text.parse().unwrap());
        assert_eq!(parse("2001:db8::1"), parse("2001:db8::2:3"));
        assert_ne!(parse("2001:db8::1"), parse("2001:db8:0:1::1"));
        assert_eq!(parse("::ffff:10.0.0.1"), parse("10.0.0.1"));
    }
}
