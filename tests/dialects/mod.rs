//! UCI, XBoard and CXBoard, tested on the program: their commands, and a conversation for each section of their
//! documents. The tests with random input and with commands at the end of a search include UCCI.

mod fuzz;
mod mates;
mod races;
mod transcripts;
mod uci;
mod xboard;
