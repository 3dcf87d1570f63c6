//! The turn engine: notices and input in, runs and replies out. Sans-IO.
