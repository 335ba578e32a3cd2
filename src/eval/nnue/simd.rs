//! Vectorized loops, compiled for several instruction sets.
//!
//! The loops are written without intrinsics, over tiles of a fixed length, so that the compiler turns them into vector
//! instructions (check the assembly and the speed after changes). [`SimdLevel::run`] calls them from a function that is
//! compiled for the chosen instruction set, into which they are inlined. The arithmetic is exact, so all instruction
//! sets give the same results.
//!
//! This module also has the other functions that need unsafe code: [`is_processor_supported`], [`prefetch`] and
//! [`request_large_pages`].

#![allow(unsafe_code)]

/// Declares a type for a block of numbers: an array that fills one cache line.
macro_rules! block {
    ($(#[$attribute:meta])* $name:ident, $length:literal numbers, $number:ty, $zero:literal) => {
        $(#[$attribute])*
        #[derive(Clone, Copy, Debug, PartialEq)]
        #[repr(C, align(64))]
        pub struct $name(pub [$number; $name::LEN]);

        impl $name {
            /// The number of elements of a block.
            pub const LEN: usize = $length;
            /// A block of zeros.
            pub const ZERO: Self = Self([$zero; Self::LEN]);

            /// The elements of the blocks in order. Loops over them are vectorized; loops over each
            /// block are unrolled too early for that.
            #[inline(always)]
            pub fn numbers(blocks: &[Self]) -> &[$number] {
                bytemuck::cast_slice(blocks)
            }

            /// The elements of the blocks in order.
            #[inline(always)]
            pub fn numbers_mut(blocks: &mut [Self]) -> &mut [$number] {
                bytemuck::cast_slice_mut(blocks)
            }
        }

        // SAFETY: all zero bits are a valid array of integers or floats.
        unsafe impl bytemuck::Zeroable for $name {}

        // SAFETY: every bit pattern is valid, and the array fills the 64 bytes of its alignment, so there is no
        // padding.
        unsafe impl bytemuck::Pod for $name {}
    };
}

block! {
    /// Quantized weights or sums of the network.
    #[derive(Eq)]
    Block, 32 numbers, i16, 0
}

block! {
    /// Weights or sums of the network in training.
    FloatBlock, 16 numbers, f32, 0.0
}

/// An instruction set that this processor has.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub struct SimdLevel(InstructionSet);

#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
enum InstructionSet {
    /// The minimum requirement of the program: x86-64-v2, or NEON on 64-bit Arm.
    Baseline,
    /// 256-bit vectors.
    #[cfg(target_arch = "x86_64")]
    Avx2,
    /// 512-bit vectors.
    #[cfg(target_arch = "x86_64")]
    Avx512,
}

impl SimdLevel {
    /// The level that every supported processor has.
    pub const BASELINE: Self = Self(InstructionSet::Baseline);

    /// The levels that this processor has, widest last.
    pub fn available() -> impl Iterator<Item = Self> {
        #[cfg(target_arch = "x86_64")]
        let levels = {
            use std::arch::is_x86_feature_detected;
            // The features that `with_avx2` and `with_avx512` enable.
            let has_avx2 = is_x86_feature_detected!("avx2")
                && is_x86_feature_detected!("bmi1")
                && is_x86_feature_detected!("bmi2")
                && is_x86_feature_detected!("lzcnt");
            let has_avx512 = has_avx2
                && is_x86_feature_detected!("avx512f")
                && is_x86_feature_detected!("avx512bw")
                && is_x86_feature_detected!("avx512vl");
            [
                Some(Self::BASELINE),
                has_avx2.then_some(Self(InstructionSet::Avx2)),
                has_avx512.then_some(Self(InstructionSet::Avx512)),
            ]
        };
        #[cfg(not(target_arch = "x86_64"))]
        let levels = [Some(Self::BASELINE)];
        levels.into_iter().flatten()
    }

    /// The widest level that this processor has.
    pub fn widest() -> Self {
        Self::available().last().unwrap_or(Self::BASELINE)
    }

    /// The name for reports.
    pub const fn name(self) -> &'static str {
        match self.0 {
            InstructionSet::Baseline if cfg!(target_feature = "sse4.2") => "x86-64-v2 (128 bits)",
            InstructionSet::Baseline if cfg!(target_arch = "x86_64") => "x86-64 (128 bits)",
            InstructionSet::Baseline if cfg!(target_arch = "aarch64") => "NEON (128 bits)",
            InstructionSet::Baseline => "baseline",
            #[cfg(target_arch = "x86_64")]
            InstructionSet::Avx2 => "AVX2 (256 bits)",
            #[cfg(target_arch = "x86_64")]
            InstructionSet::Avx512 => "AVX-512 (512 bits)",
        }
    }

    /// Runs `work`. Its inlined parts are compiled for this level.
    #[inline(always)]
    pub fn run<R>(self, work: impl FnOnce() -> R) -> R {
        match self.0 {
            InstructionSet::Baseline => work(),
            // SAFETY: only `available` creates this level, after checking the features of the processor.
            #[cfg(target_arch = "x86_64")]
            InstructionSet::Avx2 => unsafe { with_avx2(work) },
            // SAFETY: as above.
            #[cfg(target_arch = "x86_64")]
            InstructionSet::Avx512 => unsafe { with_avx512(work) },
        }
    }
}

/// Whether the processor has the instructions that the whole program is compiled for. On x86-64 these are x86-64-v2; of
/// them, LAHF and SAHF are not tested, because all processors with SSE4.2 have them. `is_x86_feature_detected!` cannot
/// be used, because it is constantly true for features that are enabled at compile time.
pub fn is_processor_supported() -> bool {
    #[cfg(target_arch = "x86_64")]
    {
        use std::arch::x86_64::__cpuid;
        // SSE3, SSSE3, CMPXCHG16B, SSE4.1, SSE4.2 and POPCNT in ECX of leaf 1.
        const REQUIRED: u32 = 1 | 1 << 9 | 1 << 13 | 1 << 19 | 1 << 20 | 1 << 23;
        // SAFETY: every x86-64 processor has the instruction and this leaf.
        #[allow(unused_unsafe)] // safe since Rust 1.94
        let features = unsafe { __cpuid(1) }.ecx;
        features & REQUIRED == REQUIRED
    }
    #[cfg(not(target_arch = "x86_64"))]
    true
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

/// Requests the cache line of `value` without waiting for it. Does nothing on processors other than x86-64.
#[inline(always)]
pub fn prefetch<T>(value: &T) {
    #[cfg(target_arch = "x86_64")]
    {
        use std::arch::x86_64::{_MM_HINT_T0, _mm_prefetch};
        // SAFETY: every x86-64 processor has the instruction, and it has no visible effect.
        unsafe { _mm_prefetch::<_MM_HINT_T0>(std::ptr::from_ref(value).cast()) };
    }
    #[cfg(not(target_arch = "x86_64"))]
    let _ = value;
}

/// Asks Linux to back `memory` with large pages (*transparent huge pages*), which need fewer TLB entries.
/// Does nothing on other systems, or for memory that contains no whole large page.
pub fn request_large_pages<T>(memory: &[T]) {
    #[cfg(target_os = "linux")]
    {
        use rustix::mm::{Advice, madvise};
        let begin = memory.as_ptr().addr();
        let first = begin.next_multiple_of(LARGE_PAGE);
        let end = begin + size_of_val(memory);
        let length = (end - end % LARGE_PAGE).saturating_sub(first);
        if length > 0 {
            let pointer = memory.as_ptr().cast_mut().cast::<u8>();
            let pointer = pointer.wrapping_add(first - begin).cast();
            // SAFETY: the range is within `memory`, and this advice does not change its contents.
            // Errors are ignored: the memory works without large pages as well.
            let _ = unsafe { madvise(pointer, length, Advice::LinuxHugepage) };
        }
    }
    #[cfg(not(target_os = "linux"))]
    let _ = memory;
}

/// The size of a large page in bytes, on x86-64 and on Arm with pages of 4 KB.
#[cfg(target_os = "linux")]
const LARGE_PAGE: usize = 2 << 20;

/// The number of blocks that are kept in registers at a time.
const TILE_BLOCKS: usize = 4;
const TILE: usize = TILE_BLOCKS * Block::LEN;

/// Sets `target` to `source` plus the rows `added` minus the rows `removed`, all of the same length.
#[inline(always)]
pub fn update(target: &mut [Block], source: &[Block], added: &[&[Block]], removed: &[&[Block]]) {
    let (tiles, rest) = target.as_chunks_mut::<TILE_BLOCKS>();
    let tiled = tiles.len() * TILE_BLOCKS;
    for (target, start) in tiles.iter_mut().zip((0..).step_by(TILE_BLOCKS)) {
        update_part(target, start, source, added, removed);
    }
    for (target, start) in rest.iter_mut().zip(tiled..) {
        update_part(std::array::from_mut(target), start, source, added, removed);
    }
}

/// The part of [`update`] for the blocks from `start` on; `target` has only these. Their number is a constant, so the
/// compiler keeps the sums in registers.
#[inline(always)]
fn update_part<const BLOCKS: usize>(
    target: &mut [Block; BLOCKS],
    start: usize,
    source: &[Block],
    added: &[&[Block]],
    removed: &[&[Block]],
) {
    let mut sums: [Block; BLOCKS] = part(source, start);
    for row in added {
        let weights: [Block; BLOCKS] = part(row, start);
        let weights = Block::numbers(&weights);
        for (sum, weight) in Block::numbers_mut(&mut sums).iter_mut().zip(weights) {
            *sum = sum.wrapping_add(*weight);
        }
    }
    for row in removed {
        let weights: [Block; BLOCKS] = part(row, start);
        let weights = Block::numbers(&weights);
        for (sum, weight) in Block::numbers_mut(&mut sums).iter_mut().zip(weights) {
            *sum = sum.wrapping_sub(*weight);
        }
    }
    *target = sums;
}

/// A copy of the blocks of a row from `start` on. Panics if the row is too short.
///
/// The copy has the alignment of blocks, so that the compiler loads whole vectors. For a slice of numbers it
/// only knows an alignment of 2, and splits each load of 256 bits when tuning for x86-64-v2.
#[inline(always)]
fn part<const BLOCKS: usize>(row: &[Block], start: usize) -> [Block; BLOCKS] {
    *row[start..].first_chunk().expect("rows of one length")
}

/// The sum of weight times `clamp(value, 0, max)` squared over all values.
///
/// With `max` up to 255 and weights from -127 to 127, value times weight fits in 16 bits, and the sum over a tile in
/// 32 bits: it is at most 128 times 127 times 255 squared.
#[inline(always)]
pub fn squared_product(values: &[Block], weights: &[Block], max: i16) -> i64 {
    let (value_tiles, values) = values.as_chunks::<TILE_BLOCKS>();
    let (weight_tiles, weights) = weights.as_chunks::<TILE_BLOCKS>();
    let tiles = value_tiles.iter().zip(weight_tiles);
    let tiled: i64 = (tiles.map(|(values, weights)| tile_product(*values, *weights, max))).sum();
    if values.is_empty() {
        return tiled;
    }
    let mut last = ([Block::ZERO; TILE_BLOCKS], [Block::ZERO; TILE_BLOCKS]);
    last.0[..values.len()].copy_from_slice(values);
    last.1[..weights.len()].copy_from_slice(weights);
    tiled + tile_product(last.0, last.1, max)
}

/// [`squared_product`] of a tile. The products are stored in an array first, so that the sum compiles to
/// 16-bit multiply-add instructions.
#[inline(always)]
fn tile_product(values: [Block; TILE_BLOCKS], weights: [Block; TILE_BLOCKS], max: i16) -> i64 {
    let values: &[i16; TILE] = bytemuck::cast_ref(&values);
    let weights: &[i16; TILE] = bytemuck::cast_ref(&weights);
    let mut clipped = [0; TILE];
    let mut products = [0; TILE];
    for i in 0..TILE {
        clipped[i] = values[i].clamp(0, max);
        products[i] = clipped[i].wrapping_mul(weights[i]);
    }
    let mut sum = 0i32;
    for (product, value) in products.iter().zip(&clipped) {
        sum = sum.wrapping_add(i32::from(*product) * i32::from(*value));
    }
    i64::from(sum)
}

#[cfg(test)]
mod tests {
    use super::*;
    use rand::rngs::StdRng;
    use rand::{Rng, SeedableRng};

    /// The flags of the mapping that contains this address, from `/proc/self/smaps`.
    #[cfg(target_os = "linux")]
    fn flags_at(address: usize) -> String {
        let maps = std::fs::read_to_string("/proc/self/smaps").unwrap();
        let mut inside = false;
        for line in maps.lines() {
            let range = line.split(' ').next().unwrap_or_default().split_once('-');
            let bound = |text| usize::from_str_radix(text, 16).ok();
            if let Some((Some(from), Some(to))) = range.map(|(a, b)| (bound(a), bound(b))) {
                inside = (from..to).contains(&address);
            } else if let (true, Some(flags)) = (inside, line.strip_prefix("VmFlags:")) {
                return flags.to_owned();
            }
        }
        panic!("no mapping at {address:x}");
    }

    #[test]
    #[cfg(target_os = "linux")]
    fn large_pages_are_requested_within_the_memory() {
        let memory = vec![7u64; 8 << 20 >> 3];
        request_large_pages(&memory[..100]);
        request_large_pages(&memory[..0]);
        let inside = memory.as_ptr().addr() + (4 << 20);
        request_large_pages(&memory);
        if std::path::Path::new("/sys/kernel/mm/transparent_hugepage").exists() {
            assert!(flags_at(inside).split(' ').any(|flag| flag == "hg"));
        }
        assert!(memory.iter().all(|&number| number == 7));
        prefetch(&memory[5]);
    }

    /// The rows are shorter than a tile, consist of whole tiles, or end with a part of a tile.
    #[test]
    fn rows_of_every_length_are_summed_at_every_level() {
        let mut random = StdRng::seed_from_u64(5);
        for length in 1..=9 {
            let mut row = |size: i16| -> Vec<Block> {
                let block = |_| Block([0; Block::LEN].map(|_| random.random_range(-size..=size)));
                (0..length).map(block).collect()
            };
            let (source, rows) = (row(i16::MAX), [row(300), row(300), row(300)]);
            let weights = row(127);
            let numbers = |blocks: &[Block]| Block::numbers(blocks).to_vec();
            let [first, second, third] = rows.each_ref().map(|row| numbers(row));
            let sums: Vec<i16> = (numbers(&source).iter().enumerate())
                .map(|(i, n)| {
                    (n.wrapping_add(first[i]).wrapping_sub(second[i])).wrapping_sub(third[i])
                })
                .collect();
            let product: i64 = (sums.iter().zip(numbers(&weights)))
                .map(|(n, weight)| {
                    let value = i64::from(*n).clamp(0, 255);
                    value * value * i64::from(weight)
                })
                .sum();
            for level in SimdLevel::available() {
                let mut target = vec![Block::ZERO; length];
                let found = level.run(
                    #[inline(always)]
                    || {
                        update(&mut target, &source, &[&rows[0]], &[&rows[1], &rows[2]]);
                        squared_product(&target, &weights, 255)
                    },
                );
                assert_eq!(numbers(&target), sums, "{level:?}, {length} blocks");
                assert_eq!(found, product, "{level:?}, {length} blocks");
            }
        }
    }
}
