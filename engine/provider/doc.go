// Package provider adapts model providers to [engine.Models]: OpenAI chat
// completions and every server that speaks them, the Anthropic Messages API and
// the Gemini API, each through its official client library. A scripted model for
// tests is here too.
//
// The entry point is [New]; [Registry.Open] turns a model definition into an
// [engine.Model]. The table in table.go says which variables each provider
// reads.
//
// Invariants:
//
//   - Credentials and addresses come from the getenv that Open is given, never
//     from the process environment or from files of the client libraries.
//   - A missing credential is said by Open, with the variable's name; nothing has
//     been sent by then.
//   - One Generate is one request. Client libraries never retry; the one
//     exception is a server that rejects stream_options, which is asked again
//     without them and remembered.
//   - A failure is a *engine.ModelError or the context's error, and what had been
//     received comes with it. No message holds the key.
//   - A silent server is a timeout, not a hang: see [Options].
package provider
