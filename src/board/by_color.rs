//! A value for each side.

use std::ops::{Index, IndexMut};

use serde::{Deserialize, Serialize};

use super::color::Color;

/// A value for each side, indexed by [`Color`]. Files hold it as a list: red's value, then black's.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Default, Serialize, Deserialize)]
#[serde(transparent)]
pub struct ByColor<T>(pub [T; Color::COUNT]);

impl<T> ByColor<T> {
    /// The values of red and of black.
    pub const fn new(red: T, black: T) -> Self {
        Self([red, black])
    }

    /// The values that `value` gives for red and for black.
    pub fn from_fn(value: impl FnMut(Color) -> T) -> Self {
        Self(Color::ALL.map(value))
    }

    /// The values changed by `change`.
    pub fn map<U>(self, change: impl FnMut(T) -> U) -> ByColor<U> {
        ByColor(self.0.map(change))
    }

    /// References to both values.
    pub fn each_ref(&self) -> ByColor<&T> {
        ByColor(self.0.each_ref())
    }

    /// Both values, red's first.
    pub fn iter(&self) -> impl Iterator<Item = &T> {
        self.0.iter()
    }

    /// Both values, red's first, to be changed.
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
    fn each_side_has_its_own_value() {
        let mut names = ByColor::from_fn(|color| color.to_string());
        assert_eq!(
            (&*names[Color::Red], &*names[Color::Black]),
            ("red", "black")
        );
        names[Color::Black].push('!');
        assert_eq!(names.iter().collect::<Vec<_>>(), ["red", "black!"]);
        assert_eq!(
            serde_json::to_string(&names).unwrap(),
            r#"["red","black!"]"#
        );
        assert_eq!(names.map(|name| name.len()), ByColor::new(3, 6));
    }
}
