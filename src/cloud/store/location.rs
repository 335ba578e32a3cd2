//! Where a library is stored: in an SQLite file or a PostgreSQL database.

use std::ffi::OsStr;
use std::fmt;
use std::path::{Path, PathBuf};

#[derive(Clone, Debug)]
pub enum Location {
    File(PathBuf),
    #[cfg(feature = "postgres")]
    Postgres(Box<postgres::Config>),
}

/// An invalid database URL. The message does not repeat the URL, which may contain a password.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("{0}")]
pub struct LocationError(String);

impl Location {
    /// Parses `postgres://USER@HOST:PORT/DATABASE` (or `postgresql://…`). Any other text is a file name. A URL without
    /// a password uses the environment variable `PGPASSWORD`.
    ///
    /// # Errors
    /// The text is empty, begins with `:` or `file:`, or is an invalid URL, or the program was built without the
    /// feature `postgres`.
    pub fn parse(text: &OsStr) -> Result<Self, LocationError> {
        let is_server = |text: &&str| {
            let schemes = ["postgres://", "postgresql://"];
            schemes.iter().any(|scheme| text.starts_with(scheme))
        };
        match text.to_str().filter(is_server) {
            Some(address) => parse_server(address),
            // SQLite would create a temporary database.
            None if text.is_empty() => Err(LocationError("the file name is empty".to_owned())),
            None if is_reserved(text) => Err(LocationError(
                "SQLite reserves names that begin with `:` or `file:`; write ./ before the name"
                    .to_owned(),
            )),
            None => Ok(Self::File(PathBuf::from(text))),
        }
    }

    /// `None` for a PostgreSQL database.
    pub fn file(&self) -> Option<&Path> {
        match self {
            Self::File(path) => Some(path),
            #[cfg(feature = "postgres")]
            Self::Postgres(_) => None,
        }
    }
}

/// Whether SQLite takes a file name for a database in memory or for a URI.
fn is_reserved(name: &OsStr) -> bool {
    let name = name.as_encoded_bytes();
    name.starts_with(b":") || name.starts_with(b"file:")
}

#[cfg(feature = "postgres")]
fn parse_server(address: &str) -> Result<Location, LocationError> {
    use std::error::Error;

    let mut config: postgres::Config = address.parse().map_err(|error: postgres::Error| {
        LocationError(match error.source() {
            Some(cause) => format!("invalid PostgreSQL URL: {cause}"),
            None => format!("invalid PostgreSQL URL: {error}"),
        })
    })?;
    if config.get_hosts().is_empty() && config.get_hostaddrs().is_empty() {
        let text = "invalid PostgreSQL URL: the host is missing";
        return Err(LocationError(text.to_owned()));
    }
    if config.get_password().is_none()
        && let Some(password) = std::env::var_os("PGPASSWORD")
    {
        config.password(password.as_encoded_bytes());
    }
    Ok(Location::Postgres(Box::new(config)))
}

#[cfg(not(feature = "postgres"))]
fn parse_server(_: &str) -> Result<Location, LocationError> {
    let text = "this program was built without the feature postgres";
    Err(LocationError(text.to_owned()))
}

impl From<&Path> for Location {
    fn from(path: &Path) -> Self {
        Self::File(path.to_owned())
    }
}

impl fmt::Display for Location {
    /// Omits user, password, port and parameters.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::File(path) => write!(f, "{}", path.display()),
            #[cfg(feature = "postgres")]
            Self::Postgres(config) => {
                use postgres::config::Host;
                f.write_str("postgres://")?;
                for (n, host) in config.get_hosts().iter().enumerate() {
                    f.write_str(if n > 0 { "," } else { "" })?;
                    match host {
                        Host::Tcp(name) => f.write_str(name)?,
                        #[cfg(unix)]
                        Host::Unix(path) => write!(f, "{}", path.display())?,
                    }
                }
                match config.get_dbname() {
                    Some(name) => write!(f, "/{name}"),
                    None => Ok(()),
                }
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn file_names_are_kept() {
        for name in ["library.db", "postgres.db", "./postgres://x", "./:memory:"] {
            let location = Location::parse(OsStr::new(name)).unwrap();
            assert!(matches!(&location, Location::File(path) if path == Path::new(name)));
            assert_eq!(location.to_string(), name);
        }
        for name in ["", ":memory:", "file:library.db?mode=ro"] {
            assert!(Location::parse(OsStr::new(name)).is_err(), "{name}");
        }
    }

    #[cfg(feature = "postgres")]
    #[test]
    fn addresses_of_servers_are_shown_without_passwords() {
        let parse = |text: &str| Location::parse(OsStr::new(text));
        for (text, shown) in [
            ("postgres://me:secret@db:5433/club", "postgres://db/club"),
            ("postgresql://me@%2Ftmp%2Fx/club", "postgres:///tmp/x/club"),
            ("postgres://a,b/", "postgres://a,b"),
        ] {
            assert_eq!(parse(text).unwrap().to_string(), shown);
        }
        for wrong in [
            "postgres://me:secret@db:port/x",
            "postgres://",
            "postgres:///x",
            "postgres://me:secret@db/x?sslmode=perhaps",
        ] {
            let error = parse(wrong).unwrap_err().to_string();
            let cause = error.strip_prefix("invalid PostgreSQL URL: ");
            assert!(cause.is_some_and(|cause| cause.len() > 5), "{error}");
            assert!(!error.contains("secret"), "{error}");
        }
    }

    #[cfg(not(feature = "postgres"))]
    #[test]
    fn addresses_of_servers_need_the_feature() {
        let error = Location::parse(OsStr::new("postgres://db/club")).unwrap_err();
        assert!(error.to_string().contains("feature postgres"));
    }
}
