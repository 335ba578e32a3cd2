//! Asking a library over HTTP.

use std::time::Duration;

use ureq::Agent;
use ureq::http::header::InvalidHeaderValue;
use ureq::http::{HeaderValue, Uri};

use super::fen;
use crate::board::Position;
use crate::text::{printable, without_credentials};

/// The largest reply that is read, in bytes.
const LARGEST: u64 = 64 << 10;

/// Why a library gave no answer.
#[derive(Debug, thiserror::Error)]
pub enum ClientError {
    /// The address is none that can be asked. It is shown without the token that it may hold.
    #[error("{address} is no address such as http://127.0.0.1:8090: {fault}")]
    Address {
        /// The address, printable and without token.
        address: String,
        /// What is wrong with it.
        fault: &'static str,
    },
    /// No connection, no answer in time, or an answer that is too long.
    #[error(transparent)]
    Transport(#[from] Box<ureq::Error>),
    /// The library does not let those ask who show this token, or none.
    #[error("the library refuses the token, or wants one")]
    Refused,
    /// The library answers with a status of HTTP other than 200.
    #[error("the library answers with status {0}")]
    Status(u16),
    /// The library answers something that makes no sense.
    #[error("the library answers what is no reply: {0}")]
    Reply(String),
}

/// A connection to a library, kept open between requests.
#[derive(Debug)]
pub struct Client {
    agent: Agent,
    /// The address of the API.
    api: String,
    /// The address of the server, without token.
    server: String,
    /// What the header `Authorization` shows.
    credentials: Option<HeaderValue>,
    time: Duration,
}

impl Client {
    /// A client of the library at an address such as `http://127.0.0.1:8090`; a path other than `/` is
    /// that of the API, which else is `/chessdb.php`. `token` is shown with each request; without it that of
    /// an address `http://TOKEN@HOST` or `http://NAME:TOKEN@HOST` is. Each request may take so long.
    ///
    /// # Errors
    /// The address is not one of HTTP, has a port that is none or a query, or the token has characters that no
    /// header may have.
    pub fn new(address: &str, token: Option<String>, time: Duration) -> Result<Self, ClientError> {
        let fault = |fault| ClientError::Address {
            address: printable(&without_credentials(address)),
            fault,
        };
        let target = Target::parse(address).map_err(fault)?;
        let header = |token: String| {
            let mut header = HeaderValue::try_from(format!("Bearer {token}"))?;
            header.set_sensitive(true);
            Ok::<_, InvalidHeaderValue>(header)
        };
        let credentials = token.or(target.token).map(header).transpose();
        let credentials = credentials.map_err(|_| fault("the token has unusual characters"))?;
        let config = Agent::config_builder()
            .http_status_as_error(false)
            .max_redirects(0)
            .proxy(None)
            .build();
        let server = target.server;
        let api = format!("{server}{}", target.path);
        Ok(Self {
            agent: config.into(),
            api,
            server,
            credentials,
            time,
        })
    }

    /// The address of the server, without path and token.
    pub fn server(&self) -> &str {
        &self.server
    }

    /// The reply to an action on a board, without the byte 0 at its end.
    ///
    /// # Errors
    /// There is no reply.
    pub fn ask(
        &self,
        action: &str,
        board: &Position,
        more: &[(&str, &str)],
    ) -> Result<String, ClientError> {
        self.ask_within(action, board, more, self.time)
    }

    /// As [`Self::ask`], in less time.
    ///
    /// # Errors
    /// There is no reply within the time.
    pub fn ask_within(
        &self,
        action: &str,
        board: &Position,
        more: &[(&str, &str)],
        time: Duration,
    ) -> Result<String, ClientError> {
        let mut form = form_urlencoded::Serializer::new(String::new());
        form.append_pair("action", action)
            .append_pair("board", &fen::write(board));
        form.extend_pairs(more);
        let kind = "application/x-www-form-urlencoded";
        let reply = self.post(&self.api, kind, form.finish(), time)?;
        match reply.trim_end_matches('\0') {
            "tokenerror" | "{\"status\":\"tokenerror\"}" => Err(ClientError::Refused),
            reply => Ok(reply.to_owned()),
        }
    }

    /// The reply to a request in JSON.
    ///
    /// # Errors
    /// There is no reply.
    pub fn post_json(&self, path: &str, body: String) -> Result<String, ClientError> {
        let address = format!("{}{path}", self.server);
        self.post(&address, "application/json", body, self.time)
    }

    fn post(
        &self,
        address: &str,
        kind: &str,
        body: String,
        time: Duration,
    ) -> Result<String, ClientError> {
        let request = self.agent.post(address).content_type(kind).config();
        let mut request = request.timeout_global(Some(time)).build();
        if let Some(credentials) = &self.credentials {
            request = request.header("Authorization", credentials);
        }
        let mut response = request.send(body).map_err(Box::new)?;
        match response.status().as_u16() {
            200 => {}
            401 | 403 => return Err(ClientError::Refused),
            status => return Err(ClientError::Status(status)),
        }
        let body = response
            .body_mut()
            .with_config()
            .limit(LARGEST)
            .read_to_string();
        Ok(body.map_err(Box::new)?)
    }
}

/// Where an address leads.
#[derive(Debug, PartialEq, Eq)]
struct Target {
    /// Scheme, host and port.
    server: String,
    /// The path of the API.
    path: String,
    token: Option<String>,
}

impl Target {
    /// Reads an address.
    ///
    /// # Errors
    /// What is wrong with it.
    fn parse(address: &str) -> Result<Self, &'static str> {
        let uri: Uri = address.parse().map_err(|_| "it cannot be read")?;
        match uri.scheme_str() {
            Some("http") => {}
            Some("https") => return Err("TLS is not spoken; a tunnel on this machine can do so"),
            _ => return Err("it does not begin with http://"),
        }
        let authority = uri.authority().map_or("", |authority| authority.as_str());
        let (user, place) = match authority.rsplit_once('@') {
            Some((user, place)) => (Some(user), place),
            None => (None, authority),
        };
        let host = uri.host().unwrap_or("");
        if host.is_empty() {
            return Err("the host is missing");
        }
        if place.len() > host.len() && uri.port_u16().is_none_or(|port| port == 0) {
            return Err("the port is no number from 1 to 65535");
        }
        if uri.query().is_some() || address.contains('#') {
            return Err("it has a query or a fragment");
        }
        let token = user.map(|user| user.split_once(':').map_or(user, |(_, token)| token));
        if token == Some("") {
            return Err("the token before the @ is empty");
        }
        let path = match uri.path() {
            "" | "/" => "/chessdb.php",
            path => path,
        };
        Ok(Self {
            server: format!("http://{place}"),
            path: path.to_owned(),
            token: token.map(str::to_owned),
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn addresses_are_read_with_their_tokens() {
        for (address, server, path, token) in [
            ("http://host", "http://host", "/chessdb.php", None),
            ("http://h:65535/", "http://h:65535", "/chessdb.php", None),
            ("http://[::1]:80/a", "http://[::1]:80", "/a", None),
            ("http://[::1]", "http://[::1]", "/chessdb.php", None),
            ("http://t-1@h", "http://h", "/chessdb.php", Some("t-1")),
            ("http://me:t~2@h:8/x", "http://h:8", "/x", Some("t~2")),
        ] {
            let target = Target {
                server: server.to_owned(),
                path: path.to_owned(),
                token: token.map(str::to_owned),
            };
            assert_eq!(Target::parse(address), Ok(target), "{address}");
        }
    }

    #[test]
    fn wrong_addresses_are_refused_without_telling_the_token() {
        for (address, said) in [
            ("", "cannot be read"),
            ("host", "does not begin"),
            ("ftp://host", "does not begin"),
            ("https://secret@host", "TLS is not spoken"),
            ("http://secret@host:65536", "no number from 1 to 65535"),
            ("http://host:99999999999", "no number from 1 to 65535"),
            ("http://host:0", "no number from 1 to 65535"),
            ("http://host:", "no number from 1 to 65535"),
            ("http://secret@host/?a=b", "a query"),
            ("http://host?a", "a query"),
            ("http://host/#a", "a query or a fragment"),
            ("http://@host", "the token before the @ is empty"),
            ("http://me:@host", "the token before the @ is empty"),
            ("http://secret@", "http://127.0.0.1:8090: "),
        ] {
            let error = Client::new(address, None, Duration::ZERO).unwrap_err();
            let error = error.to_string();
            assert!(error.contains("no address such as"), "{error}");
            assert!(error.contains(said), "{address}: {error}");
            assert!(!error.contains("secret"), "{error}");
        }
        let client = Client::new("http://me:secret@host", None, Duration::ZERO).unwrap();
        assert!(!format!("{client:?}").contains("secret"), "{client:?}");
        assert_eq!(client.server(), "http://host");
    }
}
