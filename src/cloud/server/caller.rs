//! The client that sent a request, its role, the body of the request, and errors.

use std::borrow::Cow;
use std::net::{IpAddr, Ipv4Addr, SocketAddr};
use std::sync::Arc;
use std::time::Duration;

use axum::body::{Body, Bytes};
use axum::extract::{FromRequest, FromRequestParts, Multipart, Request};
use axum::middleware::Next;
use axum::response::{IntoResponse, Response};
use axum::{Extension, Json};
use http_body_util::{BodyExt, LengthLimitError, Limited};
use hyper::header::{self, HeaderMap};
use hyper::http::request::Parts;
use hyper::http::uri::Authority;
use hyper::{Method, StatusCode, Uri};
use serde_json::Value;

use super::shared::Shared;
use crate::board::Position;
use crate::cloud::access::Role;
use crate::cloud::api::QueryParameters;
use crate::cloud::fen;
use crate::cloud::store::StoreError;
use crate::text::{Language, translated};

/// Name of a client without a token.
pub const ANONYMOUS: &str = "anonymous";
/// Name of a client with an invalid token.
const UNKNOWN: &str = "unknown";

/// Maximum length of a form, in bytes.
const MAX_FORM: usize = 64 << 10;
/// Maximum time for a client to send a body.
pub const BODY_TIME: Duration = Duration::from_secs(5);
/// Maximum time for a client to upload games.
pub const UPLOAD_TIME: Duration = Duration::from_secs(60);

/// The address of all clients whose address cannot be read, so that they share one rate limit. The address of the proxy
/// is not used for them: a proxy on this machine may have no rate limit.
const UNREADABLE: IpAddr = IpAddr::V4(Ipv4Addr::UNSPECIFIED);

/// The address of the connection.
#[derive(Clone, Copy, Debug)]
pub struct Peer(pub IpAddr);

#[derive(Clone, Debug)]
pub struct Caller {
    /// Name of its token, [`ANONYMOUS`] or [`UNKNOWN`].
    pub name: String,
    pub role: Role,
    /// See [`client_address`].
    pub address: IpAddr,
}

impl Caller {
    /// Identifies a client by `token`, which comes from the header or a form. If `token` is `None`, the client is
    /// identified by `parameter`, the parameter `token` of the API. An invalid `token` is counted and gives no
    /// permissions. An invalid `parameter` is ignored, because it may also contain a proof of work.
    ///
    /// # Errors
    /// `token` is invalid, and the address has sent too many invalid ones.
    pub fn identify(
        shared: &Shared,
        parts: &Parts,
        token: Option<&str>,
        parameter: Option<&str>,
    ) -> Result<Self, ServerError> {
        let address = client_address(shared, parts);
        let files = shared.files();
        let find = |secret: &str| files.tokens.find(secret);
        let anonymous = (shared.options.anonymous, ANONYMOUS);
        let (role, name) = match token {
            Some(secret) => match find(secret) {
                Some(known) => known,
                None => {
                    // Valid tokens from this address are still accepted.
                    shared.limit_invalid_tokens(address)?;
                    (Role::Nothing, UNKNOWN)
                }
            },
            None => parameter.and_then(find).unwrap_or(anonymous),
        };
        let name = name.to_owned();
        Ok(Self { name, role, address })
    }

    /// Counts the cost of a request against the rate limit of the client, unless it has the role `write` or a higher
    /// one. Fails with status 429 if the limit is exceeded.
    pub fn limit(&self, shared: &Shared, cost: f64) -> Result<(), StatusCode> {
        if self.role >= Role::Write { Ok(()) } else { shared.limit(self.address, cost) }
    }

    /// Fails with status 403 unless the client has this role or a higher one.
    pub fn require(&self, role: Role) -> Result<(), ServerError> {
        if self.role < role {
            return Err(StatusCode::FORBIDDEN.into());
        }
        Ok(())
    }
}

impl FromRequestParts<Arc<Shared>> for Caller {
    type Rejection = ServerError;

    async fn from_request_parts(
        parts: &mut Parts,
        shared: &Arc<Shared>,
    ) -> Result<Self, ServerError> {
        Self::identify(shared, parts, bearer(&parts.headers), None)
    }
}

/// The address of the client: that of the connection or, if a listed proxy sent the header `X-Forwarded-For`, the last
/// one in the header. It is [`UNREADABLE`] if the header does not end with an address.
pub fn client_address(shared: &Shared, parts: &Parts) -> IpAddr {
    let peer = peer_of(parts);
    if !shared.is_proxy(peer) {
        return peer;
    }
    let forwarded = parts.headers.get_all("x-forwarded-for");
    let Some(list) = forwarded.iter().next_back() else {
        return peer;
    };
    let last = list.to_str().unwrap_or("").rsplit(',').next();
    let address = last.and_then(|text| parse_address(text.trim()));
    address.map_or(UNREADABLE, |address| address.to_canonical())
}

fn peer_of(parts: &Parts) -> IpAddr {
    let peer = parts.extensions.get::<Peer>();
    peer.map_or(UNREADABLE, |peer| peer.0.to_canonical())
}

/// Parses an address as proxies write it: possibly with a port, an IPv6 address possibly in brackets.
fn parse_address(text: &str) -> Option<IpAddr> {
    let inner = text.strip_prefix('[').and_then(|text| text.strip_suffix(']'));
    let alone = inner.unwrap_or(text).parse().ok();
    alone.or_else(|| Some(text.parse::<SocketAddr>().ok()?.ip()))
}

/// The language in the header `Accept-Language`.
pub fn language(headers: &HeaderMap) -> Language {
    let accepted = headers.get(header::ACCEPT_LANGUAGE);
    Language::of_locale(accepted.map_or("", |text| text.to_str().unwrap_or("")))
}

/// The token in the header `Authorization`; `None` without the header or with another scheme. A missing token or one
/// that is not UTF-8 is empty, and thus invalid.
pub fn bearer(headers: &HeaderMap) -> Option<&str> {
    let value = headers.get(header::AUTHORIZATION)?.as_bytes();
    let mut parts = value.splitn(2, |byte| *byte == b' ');
    let is_bearer = parts.next()?.eq_ignore_ascii_case(b"bearer");
    let token = parts.next().and_then(|token| std::str::from_utf8(token).ok());
    is_bearer.then_some(token.unwrap_or("").trim())
}

/// Fails with status 403 if a browser sent the request on behalf of a page from another origin.
pub fn check_origin(shared: &Shared, parts: &Parts) -> Result<(), ServerError> {
    let header = |name: &str| Some(parts.headers.get(name)?.to_str().unwrap_or(""));
    let is_own = match (header("sec-fetch-site"), header("origin")) {
        (Some(site), _) => matches!(site, "same-origin" | "none"),
        // Older browsers, and all browsers on insecure connections, send only the header `Origin`.
        (None, Some(origin)) => {
            let forwarded = header("x-forwarded-host").filter(|_| shared.is_proxy(peer_of(parts)));
            let host = forwarded.and_then(|list| list.split(',').next());
            is_on_host(origin, host.or(header("host")).unwrap_or("").trim())
        }
        (None, None) => true,
    };
    is_own.then_some(()).ok_or(ServerError::CrossOrigin)
}

/// Whether an origin has this host and port. A missing port is the default port of the origin's scheme.
fn is_on_host(origin: &str, host: &str) -> bool {
    let uri = origin.parse::<Uri>().unwrap_or_default();
    let default_port = match uri.scheme_str() {
        Some("http") => 80,
        Some("https") => 443,
        _ => return false,
    };
    let host_and_port = |authority: &Authority| {
        let port = authority.port_u16().unwrap_or(default_port);
        (authority.host().to_ascii_lowercase(), port)
    };
    let host = host.parse().ok();
    host.is_some_and(|host| uri.authority().map(host_and_port) == Some(host_and_port(&host)))
}

pub fn parameters_of(uri: &Uri) -> QueryParameters {
    QueryParameters::parse(uri.query().unwrap_or("").as_bytes())
}

pub fn board_of(parameters: &QueryParameters) -> Result<Position, ServerError> {
    let board = parameters.get("board").and_then(fen::parse);
    board.ok_or_else(|| ServerError::parameter("board must be a FEN"))
}

/// The text of a parameter, to be stored: trimmed, with `\n` as line end and a space for each tab; empty if the
/// parameter is absent. Fails if the text is not UTF-8.
pub fn text_of(parameters: &QueryParameters, name: &str) -> Result<String, ServerError> {
    let text = parameters.get(name).unwrap_or("");
    // Invalid UTF-8 is decoded as this character.
    if text.contains(char::REPLACEMENT_CHARACTER) {
        return Err(ServerError::parameter(format!("{name} is not valid UTF-8")));
    }
    let text = text.replace("\r\n", "\n").replace('\t', " ");
    Ok(text.trim().to_owned())
}

/// The header `Content-Type` in lower case; empty if it is missing or not ASCII.
fn content_type(headers: &HeaderMap) -> String {
    let kind = headers.get(header::CONTENT_TYPE).and_then(|kind| kind.to_str().ok());
    kind.unwrap_or("").to_ascii_lowercase()
}

/// Whether the body is a form with several parts, as `curl -F` sends it.
pub fn is_multipart(headers: &HeaderMap) -> bool {
    content_type(headers).starts_with("multipart/form-data")
}

/// Reads the body of a request of at most `max` bytes that arrives within `time`.
pub async fn read_body(body: Body, max: usize, time: Duration) -> Result<Bytes, ServerError> {
    let body = Limited::new(body, max).collect();
    let status = match tokio::time::timeout(time, body).await {
        Ok(Ok(body)) => return Ok(body.to_bytes()),
        Err(_) => StatusCode::REQUEST_TIMEOUT,
        Ok(Err(error)) if error.is::<LengthLimitError>() => StatusCode::PAYLOAD_TOO_LARGE,
        // The body is incomplete or its chunks are invalid.
        Ok(Err(_)) => StatusCode::BAD_REQUEST,
    };
    Err(ServerError::Status(status))
}

pub struct FormRequest {
    pub parts: Parts,
    /// Fields of the body, if it is a form.
    pub form: QueryParameters,
}

impl FormRequest {
    /// The parameters of the URL and of the form; those of the form take precedence.
    pub fn parameters(&self) -> QueryParameters {
        parameters_of(&self.parts.uri).with(self.form.clone())
    }

    /// Fails with status 400 if a POST request has parameters in the URL, or the request has other parameters than
    /// these, so that none is ignored.
    pub fn require_known(&self, known: &[&str]) -> Result<(), ServerError> {
        let query = parameters_of(&self.parts.uri);
        let is_post = self.parts.method == Method::POST;
        if is_post && !query.0.is_empty() {
            return Err(ServerError::parameter("parameters must be in the form, not in the URL"));
        }
        let parameters = if is_post { &self.form } else { &query };
        if parameters.0.iter().all(|(name, _)| known.contains(&&**name)) {
            Ok(())
        } else {
            Err(ServerError::parameter(format!("the parameters are {}", known.join(", "))))
        }
    }

    /// Identifies the caller by the token in the header or in the form. A token in the URL is ignored, because URLs are
    /// written to logs. Fails with status 403 unless the caller has this role or a higher one.
    pub fn caller(&self, shared: &Shared, role: Role) -> Result<Caller, ServerError> {
        let token = bearer(&self.parts.headers).or(self.form.get("token"));
        let caller = Caller::identify(shared, &self.parts, token, None)?;
        caller.require(role)?;
        Ok(caller)
    }
}

impl<S: Send + Sync> FromRequest<S> for FormRequest {
    type Rejection = ServerError;

    async fn from_request(request: Request, state: &S) -> Result<Self, ServerError> {
        let (parts, body) = request.into_parts();
        let body = read_body(body, MAX_FORM, BODY_TIME).await?;
        let form = if content_type(&parts.headers).contains("x-www-form-urlencoded") {
            QueryParameters::parse(&body)
        } else if is_multipart(&parts.headers) && !body.is_empty() {
            let request = Request::from_parts(parts.clone(), body.into());
            let multipart = Multipart::from_request(request, state).await;
            read_multipart(multipart.map_err(|_| StatusCode::BAD_REQUEST)?).await?
        } else {
            QueryParameters::default()
        };
        Ok(Self { parts, form })
    }
}

/// Reads the fields of a form; like PHP it skips files.
async fn read_multipart(mut multipart: Multipart) -> Result<QueryParameters, StatusCode> {
    let invalid = |_| StatusCode::BAD_REQUEST;
    let mut fields = Vec::new();
    while let Some(field) = multipart.next_field().await.map_err(invalid)? {
        let name = field.name().map(str::to_owned);
        if let (Some(name), None) = (name, field.file_name()) {
            let value = field.bytes().await.map_err(invalid)?;
            fields.push((name, String::from_utf8_lossy(&value).into_owned()));
        }
    }
    Ok(QueryParameters(fields))
}

pub struct Administrator {
    /// Name of the token.
    pub name: String,
    request: FormRequest,
}

impl Administrator {
    /// The form of a POST request, or the query of a GET request. Fails with status 400 if it has other parameters than
    /// `token` and these (see [`FormRequest::require_known`]).
    pub fn parameters(&self, known: &[&str]) -> Result<QueryParameters, ServerError> {
        self.request.require_known(&[known, &["token"]].concat())?;
        let FormRequest { parts, form } = &self.request;
        let is_post = parts.method == Method::POST;
        Ok(if is_post { form.clone() } else { parameters_of(&parts.uri) })
    }
}

impl FromRequest<Arc<Shared>> for Administrator {
    type Rejection = ServerError;

    async fn from_request(request: Request, shared: &Arc<Shared>) -> Result<Self, ServerError> {
        let request = FormRequest::from_request(request, shared).await?;
        let caller = request.caller(shared, Role::Admin)?;
        Ok(Self { name: caller.name, request })
    }
}

pub type JsonReply<T = Value> = Result<Json<T>, ServerError>;

/// The reason why a request is rejected.
#[derive(Debug)]
pub enum ServerError {
    /// A status, with its standard text.
    Status(StatusCode),
    /// A parameter is missing or invalid. Contains the reason.
    Parameter(Cow<'static, str>),
    /// A browser sent the request on behalf of a page from another origin.
    CrossOrigin,
    /// The library cannot be read or written.
    Store(StoreError),
}

impl ServerError {
    pub fn parameter(reason: impl Into<Cow<'static, str>>) -> Self {
        Self::Parameter(reason.into())
    }
}

impl From<StatusCode> for ServerError {
    fn from(status: StatusCode) -> Self {
        Self::Status(status)
    }
}

impl From<StoreError> for ServerError {
    fn from(error: StoreError) -> Self {
        Self::Store(error)
    }
}

/// The text of a reply to a request that could not read or write the library. The error is logged, unless the client
/// has tried to write to a read-only library.
pub fn logged_reason(error: &StoreError) -> &'static str {
    if matches!(error, StoreError::ReadOnly) {
        return "the library is read-only";
    }
    log::error!("the library cannot be read or written: {error}");
    "the library cannot be read or written"
}

/// An extension of the response to a rejected request: the reason in English.
#[derive(Clone)]
struct Reason(Cow<'static, str>);

/// Translates the reason in the response to a rejected request into the language of the client.
pub async fn translate_reason(request: Request, next: Next) -> Response {
    let language = language(request.headers());
    let response = next.run(request).await;
    let Some(Reason(reason)) = response.extensions().get() else {
        return response;
    };
    let reason = language.within(|| translated(reason));
    (response.status(), format!("{reason}\n")).into_response()
}

impl IntoResponse for ServerError {
    fn into_response(self) -> Response {
        let (status, reason) = match self {
            Self::Status(status) => (
                status,
                status.canonical_reason().unwrap_or("rejected").into(),
            ),
            Self::Parameter(reason) => (StatusCode::BAD_REQUEST, reason),
            Self::CrossOrigin => (
                StatusCode::FORBIDDEN,
                "a page of another origin sent the request, or a proxy does not pass on the host and port (header Host)"
                    .into(),
            ),
            Self::Store(error) => (StatusCode::SERVICE_UNAVAILABLE, logged_reason(&error).into()),
        };
        let text = format!("{reason}\n");
        (status, Extension(Reason(reason)), text).into_response()
    }
}
