//! The two sides, and a value for each.

use std::ops::{Index, IndexMut, Not};

use super::indexed::named_enum;
use crate::text::texts;

named_enum! {
    #[cfg_attr(feature = "serde", derive(serde::Deserialize), serde(rename_all = "lowercase"))]
    /// A side: red (红, moves first, ranks 0 to 4) or black (黑, ranks 5 to 9).
    pub enum Color {
        /// 红
        Red = "red",
        /// 黑
        Black = "black",
    }
}

impl Color {
    /// 1 for red and -1 for black. Multiplying by it converts a score between the points of view of this side and
    /// of red.
    #[inline]
    pub const fn sign(self) -> i32 {
        match self {
            Self::Red => 1,
            Self::Black => -1,
        }
    }

    /// The name in the chosen language of messages.
    pub fn local_name(self) -> &'static str {
        match self {
            Self::Red => texts().red,
            Self::Black => texts().black,
        }
    }
}

impl Not for Color {
    type Output = Self;

    #[inline]
    fn not(self) -> Self {
        match self {
            Self::Red => Self::Black,
            Self::Black => Self::Red,
        }
    }
}

/// A value for each side, indexed by [`Color`]. Serialized as a list: red's value, then black's.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Default)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize), serde(transparent))]
pub struct ByColor<T>(pub [T; Color::COUNT]);

impl<T> ByColor<T> {
    /// The values of red and of black.
    pub const fn new(red: T, black: T) -> Self {
        Self([red, black])
    }

    /// The results of `value` for red and for black.
    pub fn from_fn(value: impl FnMut(Color) -> T) -> Self {
        Self(Color::ALL.map(value))
    }

    /// The results of `change` for both values.
    pub fn map<U>(self, change: impl FnMut(T) -> U) -> ByColor<U> {
        ByColor(self.0.map(change))
    }

    /// References to both values.
    pub fn each_ref(&self) -> ByColor<&T> {
        ByColor(self.0.each_ref())
    }

    /// References to both values, red's first.
    pub fn iter(&self) -> impl Iterator<Item = &T> {
        self.0.iter()
    }

    /// Mutable references to both values, red's first.
    pub fn iter_mut(&mut self) -> impl Iterator<Item = &mut T> {
        self.0.iter_mut()
    }
}

impl<T> Index<Color> for ByColor<T> {
    type Output = T;

    #[inline]
    fn index(&self, color: Color) -> &T {
        &self.0[color.index()]
    }
}

impl<T> IndexMut<Color> for ByColor<T> {
    #[inline]
    fn index_mut(&mut self, color: Color) -> &mut T {
        &mut self.0[color.index()]
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn values_by_color() {
        let mut names = ByColor::from_fn(|color| color.to_string());
        assert_eq!((&*names[Color::Red], &*names[Color::Black]), ("red", "black"));
        names[Color::Black].push('!');
        assert_eq!(names.iter().collect::<Vec<_>>(), ["red", "black!"]);
        #[cfg(feature = "serde")]
        assert_eq!(serde_json::to_string(&names).unwrap(), r#"["red","black!"]"#);
        assert_eq!(names.map(|name| name.len()), ByColor::new(3, 6));
    }
}
