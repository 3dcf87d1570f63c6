//! Python in a worker process.
