//! The macro that gives the board's small enums their common surface.

/// Declares a field-less enum with `ALL`, `COUNT`, `index` and `from_index`.
macro_rules! indexed_enum {
    ($(#[$meta:meta])* $vis:vis enum $name:ident { $($(#[$vmeta:meta])* $variant:ident),+ $(,)? }) => {
        $(#[$meta])*
        #[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
        #[repr(u8)]
        $vis enum $name { $($(#[$vmeta])* $variant),+ }

        impl $name {
            /// Every value, in index order.
            pub const ALL: [Self; Self::COUNT] = [$(Self::$variant),+];
            /// How many values there are.
            pub const COUNT: usize = [$(Self::$variant),+].len();

            /// The position of this value in [`Self::ALL`].
            #[inline]
            pub const fn index(self) -> usize {
                self as usize
            }

            /// The value at `index`, or `None` past the end.
            #[inline]
            pub const fn from_index(index: usize) -> Option<Self> {
                if index < Self::COUNT { Some(Self::ALL[index]) } else { None }
            }
        }
    };
}

pub(crate) use indexed_enum;
