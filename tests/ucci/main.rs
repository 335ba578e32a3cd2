//! The engine as UCCI clients meet it: a spawned process, its input and its output.

mod batch;
mod book;
mod boot;
mod broken;
mod clients;
mod go;
mod idle;
mod options;
mod races;
mod thinking;

#[path = "../engine_client/mod.rs"]
mod engine_client;
