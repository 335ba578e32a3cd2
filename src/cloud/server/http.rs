//! Requests and responses.

use std::net::IpAddr;
use std::sync::Arc;
use std::sync::atomic::Ordering;
use std::time::{Duration, Instant};

use bytes::Bytes;
use http_body_util::{BodyExt, Limited};
use hyper::body::Incoming;
use hyper::header::{self, HeaderMap, HeaderValue};
use hyper::http::request::Parts;
use hyper::{Method, Request, StatusCode};

use super::admin::{self, AdminRefusal};
use super::files;
use super::public_worker;
use super::response::{HttpResponse, PLAIN, refusal, response};
use super::shared::Shared;
use super::stats::Stats;
use super::work;
use crate::cloud::access::Role;
use crate::cloud::library::{Answer, Asker};
use crate::cloud::parameters::QueryParameters;
use crate::cloud::reply::{ApiReply, ReplyFormat};

/// The longest address, in bytes.
const LONGEST_ADDRESS: usize = 16 << 10;
/// The longest body, in bytes.
const LONGEST_BODY: usize = 64 << 10;
/// The longest body of what a worker has found, in bytes.
const LONGEST_FINDINGS: usize = 1 << 20;
/// How long a body may take to come.
const BODY_TIME: Duration = Duration::from_secs(5);

/// The name of who shows no token; no token has it.
const ANONYMOUS: &str = "anonymous";

/// Answers a request of a client at an address.
pub(super) async fn handle(
    shared: Arc<Shared>,
    peer: IpAddr,
    request: Request<Incoming>,
) -> HttpResponse {
    if request
        .uri()
        .path_and_query()
        .is_some_and(|text| text.as_str().len() > LONGEST_ADDRESS)
    {
        return refusal(StatusCode::URI_TOO_LONG);
    }
    if ![Method::GET, Method::HEAD, Method::POST].contains(request.method()) {
        let mut refusal = refusal(StatusCode::METHOD_NOT_ALLOWED);
        let allowed = HeaderValue::from_static("GET, HEAD, POST");
        refusal.headers_mut().insert(header::ALLOW, allowed);
        return refusal;
    }
    match request.uri().path() {
        "/chessdb.php" => answer_api(shared, peer, request).await,
        path if path.starts_with("/worker/") => answer_worker(shared, request).await,
        path if path.starts_with("/admin/") => answer_admin(shared, request).await,
        "/metrics" => answer_gauges(shared, peer, &request, Gauge::Metrics).await,
        "/stats" => answer_gauges(shared, peer, &request, Gauge::Page).await,
        "/stats.php" => answer_gauges(shared, peer, &request, Gauge::Public).await,
        _ => files::answer(&shared.options.site, request.uri()),
    }
}

/// The address of the client: where a listed proxy hands a request on, the last one that it names.
fn client(shared: &Shared, peer: IpAddr, headers: &HeaderMap) -> IpAddr {
    let peer = peer.to_canonical();
    if !shared.options.proxies.contains(&peer) {
        return peer;
    }
    let forwarded = headers.get_all("x-forwarded-for").iter().next_back();
    let named = forwarded.and_then(|list| list.to_str().ok()?.rsplit(',').next());
    let named = named.and_then(|text| text.trim().parse::<IpAddr>().ok());
    named.map_or(peer, |address| address.to_canonical())
}

/// The token of the header `Authorization`.
fn bearer(headers: &HeaderMap) -> Option<&str> {
    let value = headers.get(header::AUTHORIZATION)?.to_str().ok()?;
    let (scheme, token) = value.split_once(' ')?;
    scheme
        .eq_ignore_ascii_case("bearer")
        .then_some(token.trim())
}

/// The name and the role of who asks. A token in the header must be known; the parameter may also be a
/// proof of work, so that any other value counts as none.
fn identify(shared: &Shared, header: Option<&str>, parameter: Option<&str>) -> (String, Role) {
    let tokens = &shared.options.tokens;
    let anonymous = (ANONYMOUS, shared.options.anonymous);
    let known = |secret: &str| tokens.find(secret).map(|(role, name)| (name, role));
    let (name, role) = match header {
        Some(secret) => known(secret).unwrap_or(("unknown", Role::Nothing)),
        None => parameter.and_then(known).unwrap_or(anonymous),
    };
    (name.to_owned(), role)
}

/// Whether a browser asks for a page of another origin.
fn is_from_other_page(headers: &HeaderMap) -> bool {
    let text = |name: &str| headers.get(name).map(|value| value.to_str().unwrap_or(""));
    if let Some(site) = text("sec-fetch-site") {
        return !matches!(site, "same-origin" | "none");
    }
    // Older browsers, and those that do not trust the connection, tell the origin alone.
    text("origin").is_some_and(|origin| {
        let own = origin.strip_prefix("http://");
        let own = own.or_else(|| origin.strip_prefix("https://"));
        own.is_none() || own != text("host")
    })
}

/// Whether an action changes something, or takes much time.
fn is_work(action: Option<&str>) -> bool {
    matches!(action, Some("queue" | "store" | "queryengine"))
}

/// What a request costs, in units of a look-up.
fn cost(parameters: &QueryParameters) -> f64 {
    match parameters.get("action") {
        // Every move of the last position is judged over all moves of the game.
        Some("queryrule" | "rulecheck") => {
            let moves = parameters.get("movelist").unwrap_or("").split('|').count();
            1.0 + moves as f64 / 20.0
        }
        Some("queue") => 5.0,
        Some("queryengine") => 20.0,
        _ => 1.0,
    }
}

/// The body of a request.
async fn read_body(body: Incoming, longest: usize) -> Result<Bytes, StatusCode> {
    let body = Limited::new(body, longest).collect();
    match tokio::time::timeout(BODY_TIME, body).await {
        Err(_) => Err(StatusCode::REQUEST_TIMEOUT),
        Ok(Err(_)) => Err(StatusCode::PAYLOAD_TOO_LARGE),
        Ok(Ok(body)) => Ok(body.to_bytes()),
    }
}

/// Answers a worker on another machine.
async fn answer_worker(shared: Arc<Shared>, request: Request<Incoming>) -> HttpResponse {
    let (head, body) = request.into_parts();
    let (name, role) = identify(&shared, bearer(&head.headers), None);
    if role < Role::Write {
        return refusal(StatusCode::FORBIDDEN);
    }
    let body = match read_body(body, LONGEST_FINDINGS).await {
        Ok(body) => body,
        Err(status) => return refusal(status),
    };
    let work = shared.clone();
    let answer = move || work::answer(&work.library, head.uri.path(), &body, &name);
    match shared.in_background(answer).await {
        Ok(Ok(text)) => response(StatusCode::OK, "application/json", text),
        Ok(Err(status)) => refusal(status),
        Err(error) => {
            log::error!("{error}");
            refusal(StatusCode::SERVICE_UNAVAILABLE)
        }
    }
}

/// Whether the body of a request is a form.
fn is_form(headers: &HeaderMap) -> bool {
    let kind = headers.get(header::CONTENT_TYPE);
    let kind = kind.and_then(|kind| kind.to_str().ok());
    kind.is_some_and(|kind| kind.to_ascii_lowercase().contains("x-www-form-urlencoded"))
}

/// The head and the form of a request; an empty form where its body is something else.
async fn read_form(request: Request<Incoming>) -> Result<(Parts, Bytes), StatusCode> {
    let (head, body) = request.into_parts();
    let body = read_body(body, LONGEST_BODY).await?;
    let form = match is_form(&head.headers) {
        true => body,
        false => Bytes::new(),
    };
    Ok((head, form))
}

/// Answers an operator. The token comes in the header or in the form, never in the address, which logs keep.
async fn answer_admin(shared: Arc<Shared>, request: Request<Incoming>) -> HttpResponse {
    if request.method() != Method::POST {
        let mut refusal = refusal(StatusCode::METHOD_NOT_ALLOWED);
        let allowed = HeaderValue::from_static("POST");
        refusal.headers_mut().insert(header::ALLOW, allowed);
        return refusal;
    }
    let (head, form) = match read_form(request).await {
        Ok(read) => read,
        Err(status) => return refusal(status),
    };
    let form = QueryParameters::parse(b"", &form);
    let (name, role) = identify(&shared, bearer(&head.headers), form.get("token"));
    if role < Role::Admin {
        return refusal(StatusCode::FORBIDDEN);
    }
    let work = shared.clone();
    let answer = move || admin::answer(&work.library, head.uri.path(), &form, &name);
    match shared.in_background(answer).await {
        Ok(Ok(text)) => response(StatusCode::OK, "application/json", text),
        Ok(Err(AdminRefusal::Path)) => refusal(StatusCode::NOT_FOUND),
        Ok(Err(AdminRefusal::Parameter(fault))) => {
            response(StatusCode::BAD_REQUEST, PLAIN, format!("{fault}\n"))
        }
        Err(error) => {
            log::error!("{error}");
            refusal(StatusCode::SERVICE_UNAVAILABLE)
        }
    }
}

async fn answer_api(shared: Arc<Shared>, peer: IpAddr, request: Request<Incoming>) -> HttpResponse {
    let begun = Instant::now();
    let (head, form) = match read_form(request).await {
        Ok(read) => read,
        Err(status) => return refusal(status),
    };
    let parameters = QueryParameters::parse(head.uri.query().unwrap_or("").as_bytes(), &form);
    let address = client(&shared, peer, &head.headers);
    let (name, role) = match public_worker::find(&shared.options, address, &parameters) {
        Some(writer) => (writer.to_owned(), Role::Write),
        None => identify(&shared, bearer(&head.headers), parameters.get("token")),
    };
    let is_json = parameters.is_on("json", false);
    let action = parameters.get("action");
    if name == ANONYMOUS && is_work(action) && is_from_other_page(&head.headers) {
        return refusal(StatusCode::FORBIDDEN);
    }
    if role < Role::Write && shared.is_limited(address, cost(&parameters)) {
        shared.metrics.limited.fetch_add(1, Ordering::Relaxed);
        let format = ReplyFormat::framed(is_json);
        let body = ApiReply::Status("rate limit exceeded").to_bytes(format);
        return reply(&parameters, Answer { body, is_json });
    }
    let work = shared.clone();
    let (answer, parameters) = shared
        .in_background(move || {
            let asker = Asker { name: &name, role };
            let answer = match public_worker::answer(&work, &parameters, address, role) {
                Some(text) => text.map(Answer::text),
                None => work.library.answer(&parameters, asker),
            };
            (answer, parameters)
        })
        .await;
    shared
        .metrics
        .count(parameters.get("action"), begun.elapsed());
    match answer {
        Ok(answer) => reply(&parameters, answer),
        Err(error) => {
            log::error!("{error}");
            shared.metrics.failed.fetch_add(1, Ordering::Relaxed);
            let text = "the library cannot be read or written";
            let body = match is_json {
                true => format!("{{\"status\":\"{text}\"}}"),
                false => format!("Error: {text}"),
            };
            let mut response = reply(&parameters, Answer { body, is_json });
            *response.status_mut() = StatusCode::SERVICE_UNAVAILABLE;
            response
        }
    }
}

fn reply(parameters: &QueryParameters, answer: Answer) -> HttpResponse {
    let kind = match answer.is_json {
        true => "application/json",
        false => "text/html; charset=UTF-8",
    };
    let mut response = response(StatusCode::OK, kind, answer.body);
    // Pages of other origins may read.
    if !is_work(parameters.get("action")) {
        let all = HeaderValue::from_static("*");
        response
            .headers_mut()
            .insert(header::ACCESS_CONTROL_ALLOW_ORIGIN, all);
    }
    response
}

/// How numbers of the library are written.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Gauge {
    /// All counts, as text.
    Metrics,
    /// Those of the library, for the page.
    Page,
    /// The same, for the page of the public library.
    Public,
}

async fn answer_gauges(
    shared: Arc<Shared>,
    peer: IpAddr,
    request: &Request<Incoming>,
    gauge: Gauge,
) -> HttpResponse {
    let headers = request.headers();
    let (_, role) = identify(&shared, bearer(headers), None);
    if role < Role::Read {
        return refusal(StatusCode::FORBIDDEN);
    }
    if shared.is_limited(client(&shared, peer, headers), 5.0) {
        return refusal(StatusCode::TOO_MANY_REQUESTS);
    }
    let work = shared.clone();
    let gauges = match shared.in_background(move || work.gauges()).await {
        Ok(gauges) => gauges,
        Err(error) => {
            log::error!("{error}");
            return refusal(StatusCode::SERVICE_UNAVAILABLE);
        }
    };
    match gauge {
        Gauge::Metrics => response(StatusCode::OK, PLAIN, shared.metrics.to_text(&gauges)),
        Gauge::Page => {
            let fields: Vec<String> = gauges
                .iter()
                .map(|(name, value)| format!("\"{name}\":{value}"))
                .collect();
            let text = format!("{{{}}}", fields.join(","));
            response(StatusCode::OK, "application/json", text)
        }
        Gauge::Public => {
            let query = request.uri().query().unwrap_or("");
            let parameters = QueryParameters::parse(query.as_bytes(), b"");
            let stats = Stats::of(&shared.library, &gauges);
            match parameters.is_on("json", false) {
                true => response(StatusCode::OK, "application/json", stats.to_json()),
                false => {
                    let is_chinese = parameters.get_filled("lang").is_none();
                    let text = stats.to_html(is_chinese);
                    response(StatusCode::OK, "text/html; charset=utf-8", text)
                }
            }
        }
    }
}
