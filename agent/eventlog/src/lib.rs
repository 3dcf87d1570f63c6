//! Event logs: the ring a server keeps and the body a client reads.
