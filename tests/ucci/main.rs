//! The engine as UCCI clients meet it: a spawned process, its input and its output.

mod batch;
mod boot;
mod broken;
mod clients;
mod go;
mod idle;
mod options;
mod races;
mod thinking;

#[path = "../support/mod.rs"]
mod support;
