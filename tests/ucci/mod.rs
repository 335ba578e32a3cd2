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
