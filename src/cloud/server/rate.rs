//! How much an address may ask.

use std::collections::HashMap;
use std::net::IpAddr;
use std::time::{Duration, Instant};

use parking_lot::Mutex;

/// Addresses that are remembered.
const MAX_REMEMBERED: usize = 65_536;

/// A bucket for each address that fills with time and from which every request takes its cost.
#[derive(Debug)]
pub struct RateLimit {
    /// Units a second; a bucket holds those of one second.
    units: f64,
    buckets: Mutex<HashMap<IpAddr, Bucket>>,
}

#[derive(Debug)]
struct Bucket {
    left: f64,
    filled: Instant,
}

impl RateLimit {
    pub fn new(units: u32) -> Self {
        Self {
            units: f64::from(units),
            buckets: Mutex::default(),
        }
    }

    /// Takes a request's cost from the bucket of an address; `false` when there is not so much left. What
    /// costs more than a bucket holds is let through when the bucket is full.
    pub fn try_acquire(&self, address: IpAddr, cost: f64, now: Instant) -> bool {
        self.at(address, now, |left| {
            if *left < cost.min(self.units) {
                return false;
            }
            *left -= cost;
            true
        })
    }

    /// Whether the bucket of an address holds a unit.
    pub fn has_room(&self, address: IpAddr, now: Instant) -> bool {
        self.at(address, now, |left| *left >= 1.0)
    }

    /// Does something with what is left in the bucket of an address.
    fn at<T>(&self, address: IpAddr, now: Instant, look: impl FnOnce(&mut f64) -> T) -> T {
        let mut buckets = self.buckets.lock();
        if buckets.len() >= MAX_REMEMBERED {
            let is_recent =
                |bucket: &Bucket| now.duration_since(bucket.filled) < Duration::from_secs(1);
            buckets.retain(|_, bucket| is_recent(bucket));
        }
        if buckets.len() >= MAX_REMEMBERED {
            buckets.clear();
        }
        let bucket = buckets.entry(network(address)).or_insert(Bucket {
            left: self.units,
            filled: now,
        });
        let passed = now.saturating_duration_since(bucket.filled).as_secs_f64();
        bucket.left = (bucket.left + passed * self.units).min(self.units);
        bucket.filled = now;
        look(&mut bucket.left)
    }
}

/// The network that counts as one address: the first 64 bits of an IPv6 address, a whole IPv4 address.
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
    use super::*;

    #[test]
    fn buckets_fill_with_time() {
        let limit = RateLimit::new(10);
        let [one, other]: [IpAddr; 2] = ["10.0.0.1", "10.0.0.2"].map(|text| text.parse().unwrap());
        let begin = Instant::now();
        let granted = |address, cost, millis| {
            let now = begin + Duration::from_millis(millis);
            (0..30)
                .filter(|_| limit.try_acquire(address, cost, now))
                .count()
        };
        assert_eq!(granted(one, 1.0, 0), 10);
        assert_eq!(granted(other, 5.0, 0), 2);
        assert_eq!(granted(one, 1.0, 500), 5);
        assert_eq!(granted(one, 1.0, 60_000), 10);
        let has_room = |millis| limit.has_room(one, begin + Duration::from_millis(millis));
        assert_eq!([60_050, 60_150, 60_150].map(has_room), [false, true, true]);
        assert_eq!(granted(one, 1.0, 62_000), 10);
        // A dear request empties the bucket for longer.
        assert_eq!(granted(other, 20.0, 60_000), 1);
        assert_eq!(granted(other, 1.0, 61_000), 0);
        assert_eq!(granted(other, 1.0, 62_000), 10);
    }

    #[test]
    fn ipv6_networks_share_a_bucket() {
        let parse = |text: &str| network(text.parse().unwrap());
        assert_eq!(parse("2001:db8::1"), parse("2001:db8::2:3"));
        assert_ne!(parse("2001:db8::1"), parse("2001:db8:0:1::1"));
        assert_eq!(parse("::ffff:10.0.0.1"), parse("10.0.0.1"));
    }
}
