//! The reference MCP servers.
