//! UCCI, tested on the program.

mod batch;
mod book;
mod clients;
mod go;
mod idle;
mod input;
mod options;
mod searching;
