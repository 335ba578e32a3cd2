//! UCI, XBoard and CXBoard, tested on the program: invalid input, commands at the end of a search, and a conversation
//! for each section of their documents.

mod fuzz;
mod transcripts;
mod uci;
mod uci_mates;
mod uci_races;
mod xboard;
mod xboard_races;
