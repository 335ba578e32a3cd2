//! Floating-point numbers of a cache line, the unit of the trainer's loops.
//!
//! Aligned and of a fixed length, so that the compiler makes vector instructions of any width of them.
//! Sums over the lanes are made in one order, so that every width gives the same number.

/// Sixteen numbers.
#[derive(Clone, Copy, Debug, PartialEq)]
#[repr(C, align(64))]
pub(super) struct Vector(pub [f32; Vector::LEN]);

impl Vector {
    pub const LEN: usize = 16;
    pub const ZERO: Self = Self([0.0; Self::LEN]);

    #[inline(always)]
    pub fn splat(value: f32) -> Self {
        Self([value; Self::LEN])
    }

    #[inline(always)]
    fn each(self, other: Self, combine: impl Fn(f32, f32) -> f32) -> Self {
        let mut result = Self::ZERO;
        for i in 0..Self::LEN {
            result.0[i] = combine(self.0[i], other.0[i]);
        }
        result
    }

    #[inline(always)]
    pub fn plus(self, other: Self) -> Self {
        self.each(other, |a, b| a + b)
    }

    #[inline(always)]
    pub fn times(self, other: Self) -> Self {
        self.each(other, |a, b| a * b)
    }

    /// Each number brought into 0 to 1.
    #[inline(always)]
    pub fn clipped(self) -> Self {
        self.each(self, |a, _| a.clamp(0.0, 1.0))
    }

    /// `other` where the number is between 0 and 1, else 0.
    #[inline(always)]
    pub fn where_inside(self, other: Self) -> Self {
        self.each(other, |a, b| if a > 0.0 && a < 1.0 { b } else { 0.0 })
    }

    pub fn sum(self) -> f32 {
        self.0.iter().sum()
    }
}

/// The numbers of vectors, one after the other.
pub(super) fn numbers(vectors: &[Vector]) -> impl Iterator<Item = f32> + '_ {
    vectors.iter().flat_map(|vector| vector.0)
}
