//! Macros for small enums with indices and names, and for serialization as text.

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
            /// The number of values.
            pub const COUNT: usize = [$(Self::$variant),+].len();

            /// The index of this value in [`Self::ALL`].
            #[inline]
            pub const fn index(self) -> usize {
                self as usize
            }

            /// The value at `index`, `None` past the end.
            #[inline]
            pub const fn from_index(index: usize) -> Option<Self> {
                if index < Self::COUNT { Some(Self::ALL[index]) } else { None }
            }
        }
    };
}

/// Declares an [`indexed_enum`] whose values have names for options, files and scripts.
macro_rules! named_enum {
    ($(#[$meta:meta])* $vis:vis enum $name:ident {
        $($(#[$vmeta:meta])* $variant:ident = $word:literal),+ $(,)?
    }) => {
        $crate::board::indexed_enum! {
            $(#[$meta])* $vis enum $name { $($(#[$vmeta])* $variant),+ }
        }

        impl $name {
            /// The names, in index order.
            pub const NAMES: [&'static str; Self::COUNT] = [$($word),+];

            /// The name for options, files and scripts.
            pub const fn name(self) -> &'static str {
                Self::NAMES[self.index()]
            }

            /// The value with this name, ignoring case.
            pub fn from_name(name: &str) -> Option<Self> {
                let mut values = Self::ALL.into_iter();
                values.find(|value| name.eq_ignore_ascii_case(value.name()))
            }
        }

        impl std::fmt::Display for $name {
            fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
                f.write_str(self.name())
            }
        }

        #[cfg(feature = "serde")]
        impl serde::Serialize for $name {
            fn serialize<S: serde::Serializer>(
                &self,
                serializer: S,
            ) -> std::result::Result<S::Ok, S::Error> {
                serializer.serialize_str(self.name())
            }
        }
    };
}

/// Implements deserialization from text, with `FromStr`.
#[cfg(feature = "serde")]
macro_rules! deserialize_from_text {
    ($name:ty) => {
        impl<'de> serde::Deserialize<'de> for $name {
            fn deserialize<D: serde::Deserializer<'de>>(from: D) -> Result<Self, D::Error> {
                let text = <String as serde::Deserialize>::deserialize(from)?;
                text.parse().map_err(<D::Error as serde::de::Error>::custom)
            }
        }
    };
}

/// Implements serialization and deserialization as text, with `Display` and `FromStr`.
#[cfg(feature = "serde")]
macro_rules! serialize_as_text {
    ($($name:ty),+) => {
        $(
            impl serde::Serialize for $name {
                fn serialize<S: serde::Serializer>(&self, to: S) -> Result<S::Ok, S::Error> {
                    to.collect_str(self)
                }
            }

            $crate::board::deserialize_from_text!($name);
        )+
    };
}

#[cfg(feature = "serde")]
serialize_as_text!(crate::board::Move, crate::board::Square);

#[cfg(feature = "serde")]
pub(crate) use {deserialize_from_text, serialize_as_text};
pub(crate) use {indexed_enum, named_enum};
