//! Who asks, and what they may do.

use std::net::IpAddr;

use hyper::header::{self, HeaderMap};

use super::shared::Shared;
use crate::cloud::access::Role;

/// The name of who shows no token; no token has it.
pub const ANONYMOUS: &str = "anonymous";
/// The name of who shows a token that is not known; no token has it.
const UNKNOWN: &str = "unknown";

/// An address has shown so many unknown tokens that none is looked up for it now.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct TooManyAttempts;

/// The address of the client: where a listed proxy hands a request on, the last one that it names.
pub fn client(shared: &Shared, peer: IpAddr, headers: &HeaderMap) -> IpAddr {
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
pub fn bearer(headers: &HeaderMap) -> Option<&str> {
    let value = headers.get(header::AUTHORIZATION)?.to_str().ok()?;
    let (scheme, token) = value.split_once(' ')?;
    scheme
        .eq_ignore_ascii_case("bearer")
        .then_some(token.trim())
}

/// The name and the role of who asks from an address. The token that is `shown` must be known; the parameter
/// of the API may also be a proof of work, so that any other value counts as none.
///
/// # Errors
/// The address has shown too many unknown tokens of late.
pub fn identify(
    shared: &Shared,
    address: IpAddr,
    shown: Option<&str>,
    parameter: Option<&str>,
) -> Result<(String, Role), TooManyAttempts> {
    let tokens = &shared.options.tokens;
    let anonymous = (ANONYMOUS, shared.options.anonymous);
    let known = |secret: &str| tokens.find(secret).map(|(role, name)| (name, role));
    let (name, role) = match shown {
        // A right guess is no better than a wrong one.
        Some(_) if shared.has_too_many_attempts(address) => return Err(TooManyAttempts),
        Some(secret) => known(secret).unwrap_or_else(|| {
            shared.note_refusal(address);
            (UNKNOWN, Role::Nothing)
        }),
        None => parameter.and_then(known).unwrap_or(anonymous),
    };
    Ok((name.to_owned(), role))
}

/// Whether a browser asks for a page of another origin.
pub fn is_from_other_page(headers: &HeaderMap) -> bool {
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
