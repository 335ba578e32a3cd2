//! UCCI, tested on the program.

mod batch;
mod book;
mod boot;
mod clients;
mod go;
mod idle;
mod invalid;
mod options;
mod races;
mod searching;

#[path = "../engine_client/mod.rs"]
mod engine_client;
