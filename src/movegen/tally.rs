//! Adding up the sizes of many sets.

use crate::board::Bitboard;

/// The total size of the sets added so far, right up to 255: more than a position has moves.
///
/// Where the processor's own bit count may not be assumed, the sizes are kept as byte sums, the
/// half-way house of counting bits by shifts and masks, and brought together only in the end.
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct Tally {
    bytes: [u64; 2],
}

const EVERY_BIT: u64 = u64::MAX / 0x3;
const EVERY_PAIR: u64 = u64::MAX / 0x5;
const EVERY_NIBBLE: u64 = u64::MAX / 0x11;
const EVERY_BYTE: u64 = u64::MAX / 0xff;

impl Tally {
    /// Adds the size of a set.
    #[inline]
    pub(super) fn add(&mut self, set: Bitboard) {
        if cfg!(target_feature = "popcnt") {
            self.bytes[0] += u64::from(set.len());
            return;
        }
        let bits = set.bits();
        for (sum, half) in self
            .bytes
            .iter_mut()
            .zip([bits as u64, (bits >> 64) as u64])
        {
            let pairs = half - (half >> 1 & EVERY_BIT);
            let nibbles = (pairs & EVERY_PAIR) + (pairs >> 2 & EVERY_PAIR);
            *sum += (nibbles + (nibbles >> 4)) & EVERY_NIBBLE;
        }
    }

    /// The sum of the sizes.
    #[inline]
    pub(super) fn total(self) -> u64 {
        let [low, high] = self.bytes;
        if cfg!(target_feature = "popcnt") {
            low
        } else {
            (low + high).wrapping_mul(EVERY_BYTE) >> 56
        }
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    proptest! {
        #[test]
        fn sizes_add_up(sets in prop::collection::vec(any::<u128>(), 0..30)) {
            let mut tally = Tally::default();
            let mut total = 0;
            for bits in sets {
                let set = Bitboard::from_bits(bits);
                if total + set.len() > 255 {
                    break;
                }
                total += set.len();
                tally.add(set);
            }
            prop_assert_eq!(tally.total(), u64::from(total));
        }
    }
}
