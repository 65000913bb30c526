// Package engine runs Standard Agents threads: one step at a time, durable
// before it goes on, and with nothing but the standard library beneath it.
//
// Entry points: New builds an Engine from a Config; Engine.Start hosts threads;
// Engine.Control is the control plane, the only way in which anything outside
// changes runtime state.
//
// # Glossary
//
//   - Thread: instance of an agent with its own messages, queue, key-value store
//     and lifecycle.
//   - Side: A or B of a thread; a prompt-backed side is played by a model.
//   - Session: durable container, a root thread and all its descendants
//     (Agent Runtime). Standard Agents says "session" for what is called
//     Execution here.
//   - Turn: one submitted input cycle, from accepted to completed, failed or
//     cancelled (Agent Runtime).
//   - SideTurn: one side speaking until it yields (Standard Agents calls this a
//     turn).
//   - Execution: one autonomous loop of a thread until it stops; it has a RunID.
//   - Step: one model call and its tool calls.
//   - Action: what the pure planner decides next.
//   - Event: a durable fact with a sequence number that is monotonic per session.
//
// # Invariants
//
//  1. State and the events that tell of it are one Commit; events are published
//     after it, in sequence order.
//  2. One flow per thread: a thread runs under a lease (owner, fencing number)
//     that every Commit of a step checks.
//  3. The assistant message is durable before its first tool runs, each result
//     before the next tool, all results before the stop conditions.
//  4. No transaction spans a model, tool or network call.
//  5. A crash loses nothing that was acknowledged; a tool that was started and
//     has no result isn't run again unless its entry says onCrash: 'retry'.
//  6. A failed tool is data for the model; a Go error means that the engine
//     couldn't go on.
//  7. The queue is durable and FIFO; nothing is accepted after terminate.
//  8. Runtime state changes only through ControlPlane and the step.
//  9. Secrets never reach an event, a log, an export or a prompt.
//  10. No JavaScript runs in this process.
//  11. What isn't known is said to be unknown.
package engine
