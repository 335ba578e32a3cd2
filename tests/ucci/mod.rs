//! UCCI, and what UCI and XBoard have in common with it, tested on the program. Random input and commands at the end of
//! a search are tested in `tests/dialects`.

mod batch;
mod book;
mod clients;
mod go;
mod idle;
mod input;
mod options;
mod searching;
