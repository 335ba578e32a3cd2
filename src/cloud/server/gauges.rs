//! The numbers of the library and of the server.

use std::net::IpAddr;
use std::sync::Arc;

use hyper::body::Incoming;
use hyper::{Request, StatusCode};

use super::identity::{bearer, client, identify};
use super::response::{HttpResponse, PLAIN, refusal, response};
use super::shared::Shared;
use super::stats::Stats;
use crate::cloud::access::Role;
use crate::cloud::parameters::QueryParameters;

/// How numbers are written.
#[derive(Clone, Copy, PartialEq, Eq)]
pub enum Gauge {
    /// All counts, as text.
    Metrics,
    /// Those of the library and its workers, for the page.
    Page,
    /// The same, for the page of the public library.
    Public,
}

/// Answers a request for numbers.
pub async fn answer(
    shared: Arc<Shared>,
    peer: IpAddr,
    request: &Request<Incoming>,
    gauge: Gauge,
) -> HttpResponse {
    let headers = request.headers();
    let address = client(&shared, peer, headers);
    let Ok((_, role)) = identify(&shared, address, bearer(headers), None) else {
        return refusal(StatusCode::TOO_MANY_REQUESTS);
    };
    if role < Role::Read {
        return refusal(StatusCode::FORBIDDEN);
    }
    if shared.is_limited(address, 5.0) {
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
    let stats = Stats::of(&shared.library, &gauges);
    let all = [gauges, stats.of_workers()].concat();
    match gauge {
        Gauge::Metrics => response(StatusCode::OK, PLAIN, shared.metrics.to_text(&all)),
        Gauge::Page => {
            let fields = all
                .iter()
                .map(|(name, value)| format!("\"{name}\":{value}"));
            let text = format!("{{{}}}", fields.collect::<Vec<_>>().join(","));
            response(StatusCode::OK, "application/json", text)
        }
        Gauge::Public => {
            let query = request.uri().query().unwrap_or("");
            let parameters = QueryParameters::parse(query.as_bytes(), b"");
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
