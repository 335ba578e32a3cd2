//! Locations of cloud libraries as values of arguments.

use std::ffi::OsString;

use clap::builder::{OsStringValueParser, TryMapValueParser, TypedValueParser, ValueParserFactory};

use crate::cloud::store::{Location, LocationError};

impl ValueParserFactory for Location {
    type Parser =
        TryMapValueParser<OsStringValueParser, fn(OsString) -> Result<Self, LocationError>>;

    fn value_parser() -> Self::Parser {
        OsStringValueParser::new().try_map(|text| Self::parse(&text))
    }
}
