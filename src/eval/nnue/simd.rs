//! The widest vector instructions of this processor, chosen once, and the loops that use them.
//!
//! The loops are written without intrinsics, over blocks of a fixed size that the compiler turns into
//! vector instructions. [`SimdLevel::run`] calls them from a function that is compiled for the chosen
//! instruction set, into which they are inlined. So there is one source for every processor, and as
//! all of it is integer arithmetic without rounding, each gives the same numbers.

#![allow(unsafe_code)]

/// Weights or sums of a cache line: the unit that vectors are made of.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[repr(C, align(64))]
pub struct Block(pub [i16; Block::LEN]);

impl Block {
    /// Numbers in a block.
    pub const LEN: usize = 32;
    /// Nothing but zeros.
    pub const ZERO: Self = Self([0; Self::LEN]);
}

/// An instruction set that the loops are compiled for, and that this processor has.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub struct SimdLevel(InstructionSet);

/// The instruction sets.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
enum InstructionSet {
    /// What every processor has that the program runs on: x86-64-v2, NEON on 64-bit Arm.
    Baseline,
    /// 256-bit vectors.
    #[cfg(target_arch = "x86_64")]
    Avx2,
    /// 512-bit vectors.
    #[cfg(target_arch = "x86_64")]
    Avx512,
}

impl SimdLevel {
    /// The level of every processor.
    pub const BASELINE: Self = Self(InstructionSet::Baseline);

    /// Every level that this processor has, widest last.
    pub fn available() -> impl Iterator<Item = Self> {
        let mut levels = vec![Self::BASELINE];
        #[cfg(target_arch = "x86_64")]
        {
            use std::arch::is_x86_feature_detected;
            // All that `with_avx2` and `with_avx512` are compiled for.
            let has_avx2 = is_x86_feature_detected!("avx2")
                && is_x86_feature_detected!("bmi1")
                && is_x86_feature_detected!("bmi2")
                && is_x86_feature_detected!("lzcnt");
            let has_avx512 = has_avx2
                && is_x86_feature_detected!("avx512f")
                && is_x86_feature_detected!("avx512bw")
                && is_x86_feature_detected!("avx512vl");
            levels.extend(has_avx2.then_some(Self(InstructionSet::Avx2)));
            levels.extend(has_avx512.then_some(Self(InstructionSet::Avx512)));
        }
        levels.into_iter()
    }

    /// The widest level that this processor has.
    pub fn widest() -> Self {
        Self::available().last().unwrap_or(Self::BASELINE)
    }

    /// Runs `work`, compiled for this level as far as it is inlined.
    #[inline(always)]
    pub fn run<R>(self, work: impl FnOnce() -> R) -> R {
        match self.0 {
            InstructionSet::Baseline => work(),
            // SAFETY: only `available` makes this level, where the processor has all that it stands for.
            #[cfg(target_arch = "x86_64")]
            InstructionSet::Avx2 => unsafe { with_avx2(work) },
            // SAFETY: as above.
            #[cfg(target_arch = "x86_64")]
            InstructionSet::Avx512 => unsafe { with_avx512(work) },
        }
    }
}

#[cfg(target_arch = "x86_64")]
#[target_feature(enable = "avx2,bmi1,bmi2,lzcnt")]
fn with_avx2<R>(work: impl FnOnce() -> R) -> R {
    work()
}

#[cfg(target_arch = "x86_64")]
#[target_feature(enable = "avx2,bmi1,bmi2,lzcnt,avx512f,avx512bw,avx512vl")]
fn with_avx512<R>(work: impl FnOnce() -> R) -> R {
    work()
}

/// Blocks that are kept in registers at a time.
const TILE: usize = 4;

/// Sets `target` to `source` and the rows `added` less the rows `removed`, all of the same length.
#[inline(always)]
pub fn update(target: &mut [Block], source: &[Block], added: &[&[Block]], removed: &[&[Block]]) {
    let mut start = 0;
    while start < target.len() {
        let end = (start + TILE).min(target.len());
        let mut tile = [Block::ZERO; TILE];
        let tile = &mut tile[..end - start];
        tile.copy_from_slice(&source[start..end]);
        for row in added {
            for (sum, weights) in tile.iter_mut().zip(&row[start..end]) {
                for (sum, weight) in sum.0.iter_mut().zip(&weights.0) {
                    *sum = sum.wrapping_add(*weight);
                }
            }
        }
        for row in removed {
            for (sum, weights) in tile.iter_mut().zip(&row[start..end]) {
                for (sum, weight) in sum.0.iter_mut().zip(&weights.0) {
                    *sum = sum.wrapping_sub(*weight);
                }
            }
        }
        target[start..end].copy_from_slice(tile);
        start = end;
    }
}

/// The sum of the squares of `values`, brought into 0 to `most`, each times its weight.
///
/// With `most` up to 255 and weights of up to 127 either way, value times weight fits 16 bits, and up
/// to 1024 values fit the sums of 32 bits.
#[inline(always)]
pub fn squared_product(values: &[Block], weights: &[Block], most: i16) -> i64 {
    let mut sums = [0i32; Block::LEN / 2];
    for (values, weights) in values.iter().zip(weights) {
        let mut clipped = [0i16; Block::LEN];
        let mut products = [0i16; Block::LEN];
        for i in 0..Block::LEN {
            clipped[i] = values.0[i].clamp(0, most);
            products[i] = clipped[i].wrapping_mul(weights.0[i]);
        }
        for (i, sum) in sums.iter_mut().enumerate() {
            *sum += i32::from(products[2 * i]) * i32::from(clipped[2 * i])
                + i32::from(products[2 * i + 1]) * i32::from(clipped[2 * i + 1]);
        }
    }
    sums.iter().map(|sum| i64::from(*sum)).sum()
}
