//! HTTP client of a cloud library.

use std::time::Duration;

use serde::Serialize;
use serde::de::DeserializeOwned;
use ureq::Agent;
use ureq::http::{HeaderValue, Uri};

use super::fen;
use crate::board::Position;
use crate::text::{printable, without_secrets};

/// Timeout of the requests of commands, and of connections.
pub const TIMEOUT: Duration = Duration::from_secs(10);
/// Timeout of the requests of workers, longer than a server waits for other writers of its library.
const WRITE_TIMEOUT: Duration = Duration::from_secs(75);
/// Maximum size of a reply, in bytes.
const MAX_REPLY: u64 = 64 << 10;

#[derive(Debug, thiserror::Error)]
pub enum ClientError {
    /// The address or the token is invalid. The message hides the token.
    #[error("{address} is not a library address such as http://127.0.0.1:8090: {reason}")]
    Address {
        /// The address in quotation marks, printable and without the token.
        address: String,
        reason: &'static str,
    },
    #[error("the library did not reply in time")]
    Timeout,
    /// The reply is longer than 64 KB.
    #[error("the reply of the library is too long")]
    TooLong,
    /// No connection, or a reply that is not HTTP.
    #[error("{}", .0.to_string().trim_start_matches("io: "))]
    Transport(Box<ureq::Error>),
    /// The HTTP status 401 or 403, or the reply `tokenerror`.
    #[error("the library requires a token or rejects this one")]
    Refused,
    /// A redirection, which is not followed.
    #[error("the library has moved to {address}: {advice}")]
    Moved {
        /// Printable.
        address: String,
        advice: &'static str,
    },
    /// Any other HTTP status except 200.
    #[error("the library replied with HTTP status {0}")]
    Status(u16),
    #[error("the library sent an invalid reply: {0}")]
    Reply(String),
}

impl ClientError {
    /// Whether the same request may succeed later.
    pub const fn is_temporary(&self) -> bool {
        match self {
            Self::Timeout | Self::TooLong | Self::Transport(_) | Self::Reply(_) => true,
            Self::Status(status) => matches!(status, 408 | 429 | 500..),
            Self::Address { .. } | Self::Refused | Self::Moved { .. } => false,
        }
    }
}

impl From<ureq::Error> for ClientError {
    fn from(error: ureq::Error) -> Self {
        match error {
            ureq::Error::Timeout(_) => Self::Timeout,
            ureq::Error::BodyExceedsLimit(_) => Self::TooLong,
            error => Self::Transport(Box::new(error)),
        }
    }
}

/// An HTTP client that keeps its connection open between requests.
#[derive(Debug)]
pub struct Client {
    agent: Agent,
    /// URL of the API.
    api: String,
    server: String,
    /// Value of the header `Authorization`.
    credentials: Option<HeaderValue>,
}

impl Client {
    /// Creates a client for an address such as `http://127.0.0.1:8090` or `http://127.0.0.1:8090/cloud`. The API is at
    /// `/chessdb.php` below the address, unless the address ends with the name of a PHP file. `token` overrides the
    /// token in `http://TOKEN@HOST` or `http://NAME:TOKEN@HOST`.
    ///
    /// # Errors
    /// The address is not an HTTP address, has no host, or has an invalid port, an empty token, a query or a fragment;
    /// or the token contains anything but visible ASCII characters.
    pub fn new(address: &str, token: Option<String>) -> Result<Self, ClientError> {
        let reason = |reason| ClientError::Address {
            address: format!("\"{}\"", printable(&without_secrets(address))),
            reason,
        };
        let target = Target::parse(address).map_err(reason)?;
        let header = |token: String| {
            let is_visible = token.bytes().all(|byte| byte.is_ascii_graphic());
            let header = HeaderValue::try_from(format!("Bearer {token}")).ok();
            let mut header = (header.filter(|_| is_visible))
                .ok_or_else(|| reason("the token contains invalid characters"))?;
            header.set_sensitive(true);
            Ok::<_, ClientError>(header)
        };
        let credentials = token.or(target.token).map(header).transpose()?;
        let config = Agent::config_builder()
            .http_status_as_error(false)
            .max_redirects(0)
            .proxy(None)
            .build();
        Ok(Self {
            agent: config.into(),
            api: format!("{}/{}", target.server, target.file),
            server: target.server,
            credentials,
        })
    }

    /// URL of the library, without the token.
    pub fn server(&self) -> &str {
        &self.server
    }

    /// Sends an action with a board and other parameters. Returns the reply without its trailing NUL bytes.
    pub fn ask(
        &self,
        action: &str,
        board: &Position,
        parameters: &[(&str, &str)],
        timeout: Duration,
    ) -> Result<String, ClientError> {
        let mut form = form_urlencoded::Serializer::new(String::new());
        form.append_pair("action", action).append_pair("board", &fen::write(board));
        form.extend_pairs(parameters);
        let kind = "application/x-www-form-urlencoded";
        let reply = self.post(&self.api, kind, form.finish(), timeout)?;
        match reply.trim_end_matches('\0') {
            "tokenerror" | "{\"status\":\"tokenerror\"}" => Err(ClientError::Refused),
            reply => Ok(reply.to_owned()),
        }
    }

    /// Posts a message as JSON to a path of the library, and parses the reply.
    pub fn post_json<T: DeserializeOwned>(
        &self,
        path: &str,
        message: &impl Serialize,
    ) -> Result<T, ClientError> {
        let invalid = |error: serde_json::Error| ClientError::Reply(error.to_string());
        let body = serde_json::to_string(message).map_err(invalid)?;
        let address = format!("{}{path}", self.server);
        let reply = self.post(&address, "application/json", body, WRITE_TIMEOUT)?;
        serde_json::from_str(&reply).map_err(invalid)
    }

    fn post(
        &self,
        address: &str,
        kind: &str,
        body: String,
        timeout: Duration,
    ) -> Result<String, ClientError> {
        let request = self.agent.post(address).content_type(kind).config();
        let request = request.timeout_global(Some(timeout)).timeout_connect(Some(TIMEOUT));
        let mut request = request.build();
        if let Some(credentials) = &self.credentials {
            request = request.header("Authorization", credentials);
        }
        let mut response = request.send(body)?;
        match response.status().as_u16() {
            200 => {}
            401 | 403 => return Err(ClientError::Refused),
            status => {
                let location = response.headers().get("location");
                let moved = location.filter(|_| (300..400).contains(&status));
                return Err(moved.map_or(ClientError::Status(status), moved_to));
            }
        }
        Ok(response.body_mut().with_config().limit(MAX_REPLY).read_to_string()?)
    }
}

const NO_HTTPS: &str = "https is not supported; use a tunnel on this machine";

fn moved_to(location: &HeaderValue) -> ClientError {
    let address = String::from_utf8_lossy(location.as_bytes());
    let advice = if address.starts_with("https:") { NO_HTTPS } else { "use this address" };
    let address = printable(&without_secrets(&address));
    ClientError::Moved { address, advice }
}

#[derive(Debug, PartialEq, Eq)]
struct Target {
    /// Scheme, host, port, and the path of the library.
    server: String,
    /// Name of the PHP file of the API.
    file: String,
    token: Option<String>,
}

impl Target {
    fn parse(address: &str) -> Result<Self, &'static str> {
        let uri: Uri = address.parse().map_err(|_| "it is not a URL")?;
        match uri.scheme_str() {
            Some("http") => {}
            Some("https") => return Err(NO_HTTPS),
            _ => return Err("it must begin with http://"),
        }
        let after_scheme = address.split_once("://").map_or(address, |(_, rest)| rest);
        let before_at = after_scheme.rsplit_once('@').map_or("", |(before, _)| before);
        if before_at.contains(['/', '?', '#']) {
            return Err("a token before the @ must not contain /, ? or #");
        }
        let authority = uri.authority().map_or("", |authority| authority.as_str());
        let (user, host_and_port) = match authority.rsplit_once('@') {
            Some((user, host_and_port)) => (Some(user), host_and_port),
            None => (None, authority),
        };
        let host = uri.host().unwrap_or("");
        if host.is_empty() {
            return Err("the host is missing");
        }
        if host_and_port.len() > host.len() && uri.port_u16().is_none_or(|port| port == 0) {
            return Err("the port must be a number from 1 to 65535");
        }
        if uri.query().is_some() || address.contains('#') {
            return Err("it must not have a query or a fragment");
        }
        let token = user.map(|user| user.split_once(':').map_or(user, |(_, token)| token));
        if token == Some("") {
            return Err("the token before the @ is empty");
        }
        let path = uri.path().trim_end_matches('/');
        let (path, file) = match path.rsplit_once('/') {
            Some((path, file)) if file.ends_with(".php") => (path, file),
            _ => (path, "chessdb.php"),
        };
        Ok(Self {
            server: format!("http://{host_and_port}{path}"),
            file: file.to_owned(),
            token: token.map(str::to_owned),
        })
    }
}

#[cfg(test)]
mod tests {
    use std::io::{Read, Write};
    use std::net::TcpListener;

    use super::*;

    #[test]
    fn addresses_are_read_with_their_tokens() {
        for (address, server, file, token) in [
            ("http://host", "http://host", "chessdb.php", None),
            ("http://h:65535/", "http://h:65535", "chessdb.php", None),
            ("http://[::1]:80/a", "http://[::1]:80/a", "chessdb.php", None),
            ("http://[::1]", "http://[::1]", "chessdb.php", None),
            ("http://h/a/b//", "http://h/a/b", "chessdb.php", None),
            ("http://h/chessdb.php", "http://h", "chessdb.php", None),
            ("http://t-1@h", "http://h", "chessdb.php", Some("t-1")),
            ("http://me:t~2@h:8/x/y.php", "http://h:8/x", "y.php", Some("t~2")),
        ] {
            let target = Target {
                server: server.to_owned(),
                file: file.to_owned(),
                token: token.map(str::to_owned),
            };
            assert_eq!(Target::parse(address), Ok(target), "{address}");
        }
    }

    #[test]
    fn invalid_addresses_are_rejected_without_showing_the_token() {
        for (address, reason) in [
            ("", "not a URL"),
            ("host", "must begin with"),
            ("ftp://host", "must begin with"),
            ("https://secret@host", "https is not supported"),
            ("http://secret@host:65536", "must be a number from 1 to 65535"),
            ("http://host:99999999999", "must be a number from 1 to 65535"),
            ("http://host:0", "must be a number from 1 to 65535"),
            ("http://host:", "must be a number from 1 to 65535"),
            ("http://secret@host/?a=b", "a query"),
            ("http://host?a", "a query"),
            ("http://host/#a", "a query or a fragment"),
            ("http://@host", "the token before the @ is empty"),
            ("http://me:@host", "the token before the @ is empty"),
            ("http://secret@", "http://127.0.0.1:8090: "),
            ("http://a/secret@host", "must not contain /"),
            ("http://a?secret@host", "must not contain /"),
            ("secret@library", "must begin with"),
            ("secret@127.0.0.1:80", "must begin with"),
            ("secret@host.example/cloud", ""),
        ] {
            let error = Client::new(address, None).unwrap_err();
            let error = error.to_string();
            assert!(error.contains("is not a library address such as"), "{error}");
            assert!(error.contains(reason), "{address}: {error}");
            assert!(!error.contains("secret"), "{error}");
        }
        for token in ["\u{feff}secret", "secret secret", "秘密"] {
            let error = Client::new("http://host", Some(token.to_owned()));
            let error = error.unwrap_err().to_string();
            let is_refused = error.contains("the token contains invalid characters");
            assert!(is_refused && !error.contains("secret"), "{error}");
        }
        assert!(Client::new("HTTP://secret@host:80", None).is_ok());
        let client = Client::new("http://me:secret@host", None).unwrap();
        assert!(!format!("{client:?}").contains("secret"), "{client:?}");
        assert_eq!(client.server(), "http://host");
    }

    /// The error of a request to a server that sends `reply` and then waits.
    fn error_of_request(reply: String, timeout: Duration) -> ClientError {
        let listener = TcpListener::bind("127.0.0.1:0").unwrap();
        let url = format!("http://{}", listener.local_addr().unwrap());
        std::thread::spawn(move || {
            let (mut stream, _) = listener.accept().unwrap();
            let mut request = [0; 4096];
            let _ = stream.read(&mut request);
            // Writing fails if the client has closed the connection.
            let _ = stream.write_all(reply.as_bytes());
            let _ = stream.read_to_end(&mut Vec::new());
        });
        let client = Client::new(&url, None).unwrap();
        client.ask("queryall", &Position::startpos(), &[], timeout).unwrap_err()
    }

    #[test]
    fn late_and_long_replies_are_named() {
        let head = "HTTP/1.1 200 OK\r\nContent-Length: 100000\r\n\r\n";
        for reply in ["", head] {
            let error = error_of_request(reply.to_owned(), Duration::from_millis(50));
            assert!(matches!(error, ClientError::Timeout), "{error:?}");
        }
        let error = error_of_request(head.to_owned() + &"x".repeat(100_000), TIMEOUT);
        assert!(matches!(error, ClientError::TooLong), "{error:?}");
    }

    #[test]
    fn errors_of_connections_have_no_prefix() {
        let refused = ureq::Error::Io(std::io::Error::other("refused"));
        assert_eq!(ClientError::from(refused).to_string(), "refused");
    }
}
