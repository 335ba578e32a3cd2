//! UCI, XBoard and CXBoard, tested on the program: commands, a conversation for each section of their documents, and for
//! these protocols and UCCI random input and commands at the end of a search.

mod fuzz;
mod races;
mod transcripts;
mod uci;
mod xboard;
