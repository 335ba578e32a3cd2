//! Libraries for tests: in a file, and the same in a database of a server.

#[cfg(feature = "postgres")]
use super::Location;
use super::Store;

/// Where the library of a test is kept; it goes with the test.
pub(super) enum TestLibrary {
    File(tempfile::TempDir),
    #[cfg(feature = "postgres")]
    Server(super::test_database::TestDatabase),
}

impl TestLibrary {
    pub(super) fn in_file() -> Option<Self> {
        Some(Self::File(tempfile::tempdir().unwrap()))
    }

    /// `None` where there is no server.
    #[cfg(feature = "postgres")]
    pub(super) fn on_server() -> Option<Self> {
        super::test_database::TestDatabase::new().map(Self::Server)
    }

    pub(super) fn open(&self) -> Store {
        match self {
            Self::File(directory) => Store::open(&directory.path().join("library.db")).unwrap(),
            #[cfg(feature = "postgres")]
            Self::Server(database) => {
                let location = Location::parse(database.url().as_ref()).unwrap();
                Store::open_at(&location).unwrap()
            }
        }
    }
}

/// Makes tests of functions that take a new library: for each kind one.
macro_rules! on_both {
    ($($test:ident),+ $(,)?) => {
        mod in_file {
            $(#[test]
            fn $test() {
                super::$test(&$crate::cloud::store::test_library::TestLibrary::in_file().unwrap());
            })+
        }

        #[cfg(feature = "postgres")]
        mod on_postgres {
            $(#[test]
            fn $test() {
                if let Some(library) = $crate::cloud::store::test_library::TestLibrary::on_server() {
                    super::$test(&library);
                }
            })+
        }
    };
}

pub(super) use on_both;
