//! A server process for tests, and a client that writes raw HTTP.

use std::fs::File;
use std::io::{self, BufRead, BufReader, Read, Write};
use std::net::{SocketAddr, TcpStream};
use std::process::{Child, Command, Stdio};
use std::time::Duration;

use rustix::process::Signal;
use serde_json::Value;

pub(crate) use crate::engine_client::START;
use crate::processes::{Running, in_shell, send_signal};
use crate::{TestDir, words};

/// Content type of a form.
pub const FORM: &str = "application/x-www-form-urlencoded";
/// A token with the role `read`.
pub const READER: &str = "may-read-and-no-more";
/// A token with the role `write`.
pub const WRITER: &str = "tests-may-write-scores";
/// A token with the role `admin`.
pub const ADMIN: &str = "tests-may-do-everything";

/// A position with two red pawns on one file that have not crossed the river, which a library cannot store.
pub const DOUBLED: &str = "rnbakabnr/9/1c5c1/p1p1p1p1p/9/P8/P1P1P1P2/1C5C1/9/RNBAKABNR w";

/// The file of the library in the directory of a test.
pub const LIBRARY: &str = "library.db";

/// A server that is killed at the end of the test.
pub struct Server {
    pub child: Running,
    pub address: SocketAddr,
    /// The directory of the server, if no other server uses it.
    _dir: Option<TestDir>,
}

pub fn dir_with_tokens() -> TestDir {
    let dir = TestDir::new();
    let tokens =
        format!("# tests\nwrite tests {WRITER}\nread reader {READER}\nadmin operator {ADMIN}\n");
    dir.write("tokens", tokens);
    dir
}

impl Server {
    /// Starts a server on a library in a new directory.
    pub fn new(arguments: &str) -> Self {
        let dir = dir_with_tokens();
        let mut server = Self::start(&dir, arguments);
        server._dir = Some(dir);
        server
    }

    /// Starts a server on the library of a directory.
    pub fn start(dir: &TestDir, arguments: &str) -> Self {
        Self::start_on(LIBRARY, dir, arguments)
    }

    /// Starts a server on another library, with the tokens of a directory.
    pub fn start_on(library: &str, dir: &TestDir, arguments: &str) -> Self {
        Self::start_by(dir.process(""), library, arguments)
    }

    /// Starts a server after a command of the shell that sets a limit. Its standard error is the file `errors`.
    pub fn start_with_limit(dir: &TestDir, limit: &str) -> Self {
        let mut command = in_shell(limit, &dir.process(""));
        command.stderr(File::create(dir.path("errors")).unwrap());
        Self::start_by(command, LIBRARY, "")
    }

    /// Starts a server by a command that runs the program. It has no workers unless the arguments set their number.
    pub fn start_by(mut command: Command, library: &str, arguments: &str) -> Self {
        let workers = if arguments.contains("--workers") { "" } else { "--workers 0" };
        command.args(["serve", library]);
        command.args(words("--listen 127.0.0.1:0 --tokens tokens"));
        command.args(words(arguments)).args(words(workers));
        let mut child = command.stdout(Stdio::piped()).spawn().unwrap();
        let mut line = String::new();
        let mut output = BufReader::new(child.stdout.take().unwrap());
        output.read_line(&mut line).unwrap();
        let address = line.trim().strip_prefix("listening on http://");
        let address = address.and_then(|rest| rest.strip_suffix("/chessdb.php"));
        let address = address.unwrap_or_else(|| panic!("{line}")).parse().unwrap();
        Self { child: Running(child), address, _dir: None }
    }

    pub fn connect(&self) -> TcpStream {
        self.try_connect().unwrap()
    }

    fn try_connect(&self) -> io::Result<TcpStream> {
        let stream = TcpStream::connect(self.address)?;
        stream.set_read_timeout(Some(Duration::from_secs(20)))?;
        Ok(stream)
    }

    /// Sends bytes on a new connection and reads until it is closed.
    pub fn raw(&self, request: impl AsRef<[u8]>) -> String {
        self.try_raw(request).unwrap()
    }

    /// As [`Self::raw`], for a server that may have ended.
    fn try_raw(&self, request: impl AsRef<[u8]>) -> io::Result<String> {
        let mut stream = self.try_connect()?;
        stream.write_all(request.as_ref())?;
        io::read_to_string(stream)
    }

    pub fn get(&self, path: &str) -> String {
        self.get_with(path, "")
    }

    /// The response to a GET request with additional header lines.
    pub fn get_with(&self, path: &str, more: &str) -> String {
        self.raw(get_request(path, more))
    }

    /// Stores the score of a move, for the side to move after the move, with the token of a writer; returns the
    /// response.
    pub fn store(&self, board: &str, m: &str, score: i32) -> String {
        self.try_store(board, m, score).unwrap()
    }

    /// As [`Self::store`], for a server that may have ended.
    pub fn try_store(&self, board: &str, m: &str, score: i32) -> io::Result<String> {
        let scored = format!("board={}&move={m}&score={score}", encoded(board));
        let path = format!("/chessdb.php?action=store&{scored}&token={WRITER}");
        self.try_raw(get_request(&path, ""))
    }

    /// The body of the response to an action on the starting position, with additional parameters.
    pub fn ask(&self, action: &str, more: &str) -> String {
        let board = encoded(START);
        body(&self.get(&format!("/chessdb.php?action={action}&board={board}{more}")))
    }

    /// The response to a POST request with a body of the content type `kind`.
    pub fn post(&self, path: &str, kind: &str, content: &str) -> String {
        self.post_with(path, kind, content, "")
    }

    /// The response to a POST request with additional header lines.
    pub fn post_with(&self, path: &str, kind: &str, content: &str, more: &str) -> String {
        let length = content.len();
        self.raw(format!(
            "POST {path} HTTP/1.1\r\nHost: x\r\nConnection: close\r\nContent-Type: {kind}\r\n\
             Content-Length: {length}\r\n{more}\r\n{content}"
        ))
    }

    /// Stops the server with SIGTERM; returns its exit code.
    pub fn stop(mut self) -> Option<i32> {
        stop(&mut self.child)
    }

    pub fn url(&self) -> String {
        format!("http://{}", self.address)
    }
}

/// A GET request with additional header lines.
fn get_request(path: &str, more: &str) -> String {
    format!("GET {path} HTTP/1.1\r\nHost: x\r\nConnection: close\r\n{more}\r\n")
}

/// Stops a process with SIGTERM; returns its exit code.
pub fn stop(child: &mut Child) -> Option<i32> {
    send_signal(child, Signal::TERM);
    child.wait().unwrap().code()
}

/// The URL of a server that sends the same response to every request. A response that is a URL is also sent as the
/// header `Location`.
pub fn responding(status: u16, response: &'static str) -> String {
    let listener = std::net::TcpListener::bind("127.0.0.1:0").unwrap();
    let url = format!("http://{}", listener.local_addr().unwrap());
    std::thread::spawn(move || {
        for stream in listener.incoming() {
            let mut stream = stream.unwrap();
            let _ = stream.read(&mut [0; 4096]);
            let length = response.len();
            let mut head = format!("HTTP/1.1 {status} X\r\nContent-Length: {length}\r\n");
            if response.starts_with("http") {
                head += &format!("Location: {response}\r\n");
            }
            let text = format!("{head}Connection: close\r\n\r\n{response}");
            let _ = stream.write_all(text.as_bytes());
        }
    });
    url
}

pub fn status(response: &str) -> u16 {
    response.split(' ').nth(1).unwrap().parse().unwrap()
}

pub fn body(response: &str) -> String {
    response.split_once("\r\n\r\n").unwrap().1.to_owned()
}

pub fn json_body(response: &str) -> Value {
    serde_json::from_str(&body(response)).expect(response)
}

/// The header line with a token; empty without one.
pub fn bearer(token: &str) -> String {
    match token {
        "" => String::new(),
        _ => format!("Authorization: Bearer {token}\r\n"),
    }
}

/// A FEN with its spaces encoded for a URL.
pub fn encoded(board: &str) -> String {
    board.replace(' ', "%20")
}

/// Writes the scores of three moves of the starting position.
pub fn write_example(server: &Server) {
    for (m, score) in [("b2e2", -20), ("c3c4", -16), ("b0a2", 180)] {
        assert_eq!(body(&server.store(START, m, score)), "ok\0");
    }
}
