//! The Agent and Watch custom resources, and what the operator and the agent share.
