//! Client of OpenAI-compatible chat completions.
