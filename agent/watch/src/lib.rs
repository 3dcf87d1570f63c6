//! The watch engine: pushed changes in, notices out. Sans-IO.
