//! PostgreSQL databases for tests. The environment variable `CHUHE_TEST_POSTGRES` is the URL of the server; the
//! script `run` in this directory starts one.

use std::sync::atomic::{AtomicU32, Ordering};

use postgres::{Client, NoTls};

/// A new database that is dropped at the end of the test.
pub struct TestDatabase {
    server: String,
    name: String,
}

static COUNT: AtomicU32 = AtomicU32::new(0);

impl TestDatabase {
    /// Creates a database; `None`, with a note on standard error, if no server is configured.
    pub fn new() -> Option<Self> {
        let Ok(server) = std::env::var("CHUHE_TEST_POSTGRES") else {
            eprintln!("skipped: CHUHE_TEST_POSTGRES is not set (see tests/postgres/run)");
            return None;
        };
        let number = COUNT.fetch_add(1, Ordering::Relaxed);
        let name = format!("chuhe_test_{}_{number}", std::process::id());
        let database = Self { server, name };
        let create = format!("CREATE DATABASE {}", database.name);
        database.connect_to_server().batch_execute(&create).unwrap();
        Some(database)
    }

    /// A connection to the database `postgres` of the server.
    fn connect_to_server(&self) -> Client {
        Client::connect(&format!("{}/postgres", self.server), NoTls).unwrap()
    }

    pub fn url(&self) -> String {
        format!("{}/{}", self.server, self.name)
    }

    /// A connection for the test itself. Libraries have their own connections.
    pub fn connect(&self) -> Client {
        Client::connect(&self.url(), NoTls).unwrap()
    }

    /// Closes all connections of libraries; returns their number.
    pub fn terminate_connections(&self) -> i64 {
        let query = "SELECT COUNT(pg_terminate_backend(pid, 5000)) FROM pg_stat_activity
            WHERE datname = $1 AND application_name = 'chuhe'";
        let mut server = self.connect_to_server();
        server.query_one(query, &[&self.name]).unwrap().get(0)
    }
}

impl Drop for TestDatabase {
    fn drop(&mut self) {
        let drop = format!("DROP DATABASE {} WITH (FORCE)", self.name);
        // A failure does not matter: `run` deletes the server at the end.
        let _ = self.connect_to_server().batch_execute(&drop);
    }
}
