//! Stories on a real cluster, benchmarks, and the scripted model they use.
