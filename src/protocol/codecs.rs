//! The codec of each protocol.

use super::codec::Codec;
use super::command::Protocol;
use super::ucci::Ucci;
use super::uci::Uci;
use super::worker::WorkerDialect;
use super::xboard::{Dialect, XBoard};

/// A codec for a new conversation in `protocol`.
pub fn codec(protocol: Protocol) -> Box<dyn Codec> {
    match protocol {
        Protocol::Ucci => Box::new(Ucci::default()),
        Protocol::Uci => Box::new(Uci::default()),
        Protocol::XBoard => Box::new(XBoard::new(Dialect::XBoard)),
        Protocol::Worker => Box::new(WorkerDialect::default()),
        Protocol::CxBoard => Box::new(XBoard::new(Dialect::CxBoard)),
    }
}
