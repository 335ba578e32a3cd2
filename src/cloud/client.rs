//! Asking a library over HTTP.

use std::time::Duration;

use ureq::Agent;
use ureq::http::Uri;

use crate::board::Position;

use super::fen;

/// The largest reply that is read, in bytes.
const LARGEST: u64 = 64 << 10;

/// Why a library gave no answer.
#[derive(Debug, thiserror::Error)]
pub enum ClientError {
    /// The address is none that can be asked.
    #[error("{0} is no address such as http://127.0.0.1:8090")]
    Address(String),
    /// No connection, no answer in time, or an answer that is too long.
    #[error(transparent)]
    Transport(#[from] Box<ureq::Error>),
    /// The library refuses.
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
    /// The address of the server.
    server: String,
    token: Option<String>,
    time: Duration,
}

impl Client {
    /// A client of the library at an address such as `http://127.0.0.1:8090`; a path other than `/` is
    /// that of the API, which else is `/chessdb.php`. Each request may take so long.
    ///
    /// # Errors
    /// The address is not one of HTTP.
    pub fn new(address: &str, token: Option<String>, time: Duration) -> Result<Self, ClientError> {
        let fault = || ClientError::Address(crate::text::printable(address));
        let uri: Uri = address.parse().map_err(|_| fault())?;
        let (Some("http"), Some(authority)) = (uri.scheme_str(), uri.authority()) else {
            return Err(fault());
        };
        let server = format!("http://{authority}");
        let path = match uri.path() {
            "" | "/" => "/chessdb.php",
            path => path,
        };
        let config = Agent::config_builder()
            .http_status_as_error(false)
            .max_redirects(0)
            .proxy(None)
            .build();
        let api = format!("{server}{path}");
        Ok(Self {
            agent: config.into(),
            api,
            server,
            token,
            time,
        })
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
        Ok(reply.trim_end_matches('\0').to_owned())
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
        if let Some(token) = &self.token {
            request = request.header("Authorization", format!("Bearer {token}"));
        }
        let mut response = request.send(body).map_err(Box::new)?;
        if response.status() != 200 {
            return Err(ClientError::Status(response.status().as_u16()));
        }
        let body = response
            .body_mut()
            .with_config()
            .limit(LARGEST)
            .read_to_string();
        Ok(body.map_err(Box::new)?)
    }
}
