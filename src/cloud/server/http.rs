//! Requests and responses.

use std::net::IpAddr;
use std::sync::Arc;
use std::sync::atomic::Ordering;
use std::time::{Duration, Instant};

use bytes::Bytes;
use http_body_util::{BodyExt, LengthLimitError, Limited};
use hyper::body::Incoming;
use hyper::header::{self, HeaderMap, HeaderValue};
use hyper::http::request::Parts;
use hyper::{Method, Request, StatusCode, Uri};

use super::admin::{self, AdminRefusal};
use super::files;
use super::gauges::{self, Gauge};
use super::identity::{ANONYMOUS, bearer, client, identify, is_from_other_page};
use super::public_worker;
use super::response::{HttpResponse, PLAIN, refusal, response};
use super::shared::Shared;
use super::work::{self, RemoteWorker};
use crate::cloud::access::Role;
use crate::cloud::fen;
use crate::cloud::library::{Answer, Caller};
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

/// The largest head of a request, in bytes.
const LONGEST_HEAD: usize = 32 << 10;

/// Answers a request of a client at an address.
pub async fn handle(shared: Arc<Shared>, peer: IpAddr, request: Request<Incoming>) -> HttpResponse {
    if request
        .uri()
        .path_and_query()
        .is_some_and(|text| text.as_str().len() > LONGEST_ADDRESS)
    {
        return refusal(StatusCode::URI_TOO_LONG);
    }
    if head_length(&request) > LONGEST_HEAD {
        return refusal(StatusCode::REQUEST_HEADER_FIELDS_TOO_LARGE);
    }
    if ![Method::GET, Method::HEAD, Method::POST].contains(request.method()) {
        let mut refusal = refusal(StatusCode::METHOD_NOT_ALLOWED);
        let allowed = HeaderValue::from_static("GET, HEAD, POST");
        refusal.headers_mut().insert(header::ALLOW, allowed);
        return refusal;
    }
    match request.uri().path() {
        "/chessdb.php" => answer_api(shared, peer, request).await,
        path if path.starts_with("/worker/") => answer_worker(shared, peer, request).await,
        path if path.starts_with("/admin/") => answer_admin(shared, peer, request).await,
        "/metrics" => gauges::answer(shared, peer, &request, Gauge::Metrics).await,
        "/stats" => gauges::answer(shared, peer, &request, Gauge::Page).await,
        "/stats.php" => gauges::answer(shared, peer, &request, Gauge::Public).await,
        path => {
            let address = client(&shared, peer, request.headers());
            if shared.is_limited(address, FILE_COST) {
                shared.metrics.limited.fetch_add(1, Ordering::Relaxed);
                return refusal(StatusCode::TOO_MANY_REQUESTS);
            }
            match path {
                "/board" => normal_board(request.uri()),
                _ => files::answer(&shared.options.site, request.uri()),
            }
        }
    }
}

/// The bytes of the head of a request, in so far as it has an effect.
fn head_length(request: &Request<Incoming>) -> usize {
    let fields = request.headers().iter();
    let fields = fields.map(|(name, value)| name.as_str().len() + value.len() + ": \r\n".len());
    let address = request.uri().path_and_query();
    address.map_or(0, |address| address.as_str().len()) + fields.sum::<usize>()
}

/// The normal form of a board, so that the page reads boards as the API does.
fn normal_board(uri: &Uri) -> HttpResponse {
    let parameters = QueryParameters::parse(uri.query().unwrap_or("").as_bytes(), b"");
    let board = parameters.get("board").and_then(fen::parse);
    let text = match board {
        Some(board) => format!("{{\"status\":\"ok\",\"board\":\"{}\"}}", fen::write(&board)),
        None => "{\"status\":\"invalid board\"}".to_owned(),
    };
    response(StatusCode::OK, "application/json", text)
}

/// Whether an action changes something, or takes much time.
fn is_work(action: Option<&str>) -> bool {
    matches!(action, Some("queue" | "store" | "queryengine"))
}

/// Whether an action only tells what is known.
fn is_read(action: Option<&str>) -> bool {
    let action = action.unwrap_or("");
    (action.starts_with("query") && action != "queryengine") || action == "rulecheck"
}

/// What a request for a file or for the normal form of a board costs, in units of a look-up.
const FILE_COST: f64 = 0.2;

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
        Ok(Err(error)) if error.is::<LengthLimitError>() => Err(StatusCode::PAYLOAD_TOO_LARGE),
        // It ends too early, or is cut into pieces in a wrong way.
        Ok(Err(_)) => Err(StatusCode::BAD_REQUEST),
        Ok(Ok(body)) => Ok(body.to_bytes()),
    }
}

/// Answers a worker on another machine.
async fn answer_worker(
    shared: Arc<Shared>,
    peer: IpAddr,
    request: Request<Incoming>,
) -> HttpResponse {
    let (head, body) = request.into_parts();
    let address = client(&shared, peer, &head.headers);
    let Ok((name, role)) = identify(&shared, address, bearer(&head.headers), None) else {
        return refusal(StatusCode::TOO_MANY_REQUESTS);
    };
    if role < Role::Write {
        return refusal(StatusCode::FORBIDDEN);
    }
    let body = match read_body(body, LONGEST_FINDINGS).await {
        Ok(body) => body,
        Err(status) => return refusal(status),
    };
    let work = shared.clone();
    let worker = RemoteWorker { name, address };
    let answer = move || work::answer(&work.library, head.uri.path(), &body, &worker);
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
    let form = if is_form(&head.headers) {
        body
    } else {
        Bytes::new()
    };
    Ok((head, form))
}

/// Answers an operator. The token comes in the header or in the form, never in the address, which logs keep.
/// Nothing is changed but by POST.
async fn answer_admin(
    shared: Arc<Shared>,
    peer: IpAddr,
    request: Request<Incoming>,
) -> HttpResponse {
    let is_log = request.uri().path() == admin::LOG;
    let is_get = request.method() == Method::GET;
    if request.method() != Method::POST && !(is_log && is_get) {
        let mut refusal = refusal(StatusCode::METHOD_NOT_ALLOWED);
        let allowed = HeaderValue::from_static(if is_log { "GET, POST" } else { "POST" });
        refusal.headers_mut().insert(header::ALLOW, allowed);
        return refusal;
    }
    let (head, form) = match read_form(request).await {
        Ok(read) => read,
        Err(status) => return refusal(status),
    };
    let token = QueryParameters::parse(b"", &form);
    let form = if is_get {
        QueryParameters::parse(head.uri.query().unwrap_or("").as_bytes(), b"")
    } else {
        token.clone()
    };
    let address = client(&shared, peer, &head.headers);
    let shown = bearer(&head.headers).or(token.get("token"));
    let Ok((name, role)) = identify(&shared, address, shown, None) else {
        return refusal(StatusCode::TOO_MANY_REQUESTS);
    };
    if role < Role::Admin {
        return refusal(StatusCode::FORBIDDEN);
    }
    let work = shared.clone();
    let answer = move || admin::answer(&work.library, head.uri.path(), &form, &name);
    match shared.in_background(answer).await {
        Ok(Ok(text)) => response(StatusCode::OK, "application/json", text),
        Ok(Err(AdminRefusal::Path)) => refusal(StatusCode::NOT_FOUND),
        Ok(Err(AdminRefusal::Parameter(fail))) => {
            response(StatusCode::BAD_REQUEST, PLAIN, format!("{fail}\n"))
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
    let is_json = parameters.is_on("json", false);
    let limited = |parameters: &QueryParameters| {
        shared.metrics.limited.fetch_add(1, Ordering::Relaxed);
        let format = ReplyFormat::framed(is_json);
        let body = ApiReply::Status("rate limit exceeded").to_bytes(format);
        reply(parameters, Answer { body, is_json })
    };
    let (shown, parameter) = (bearer(&head.headers), parameters.get("token"));
    let caller = match public_worker::find(&shared.options, address, &parameters) {
        Some(writer) => Ok((writer.to_owned(), Role::Write)),
        None => identify(&shared, address, shown, parameter),
    };
    let Ok((name, role)) = caller else {
        return limited(&parameters);
    };
    let action = parameters.get("action");
    if name == ANONYMOUS && is_work(action) && is_from_other_page(&head.headers) {
        return refusal(StatusCode::FORBIDDEN);
    }
    if role < Role::Write && shared.is_limited(address, cost(&parameters)) {
        return limited(&parameters);
    }
    let work = shared.clone();
    let (answer, parameters) = shared
        .in_background(move || {
            let caller = Caller { name: &name, role };
            let answer = match public_worker::answer(&work, &parameters, address, role) {
                Some(text) => text.map(Answer::text),
                None => work.library.answer(&parameters, caller),
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
            let body = match is_json {
                true => "{\"status\":\"the library cannot be read or written\"}".to_owned(),
                false => "Error: the library cannot be read or written".to_owned(),
            };
            let mut response = reply(&parameters, Answer { body, is_json });
            *response.status_mut() = StatusCode::SERVICE_UNAVAILABLE;
            response
        }
    }
}

fn reply(parameters: &QueryParameters, answer: Answer) -> HttpResponse {
    let kind = if answer.is_json {
        "application/json"
    } else {
        "text/html; charset=UTF-8"
    };
    let mut response = response(StatusCode::OK, kind, answer.body);
    // Pages of other origins may read.
    if is_read(parameters.get("action")) {
        let all = HeaderValue::from_static("*");
        response
            .headers_mut()
            .insert(header::ACCESS_CONTROL_ALLOW_ORIGIN, all);
    }
    response
}
