//! MCP client: connections, routing, subscriptions and reads.
