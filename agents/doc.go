// Package agents loads a Standard Agents project: a directory of TypeScript
// files under agents/, and the project that is built into this program. It runs
// the project's own code (tools, hooks, effects, providers) in a project worker.
//
// Find locates a project, Open loads it, Builtin opens the embedded one. A
// Project is an engine.Project, an engine.Scripts and an engine.Models.
//
// How a project becomes definitions: scan lists the definition files; entry
// writes a module that imports each of them lazily; the worker links and
// describes it (every definition as JSON, or the error of its file); convert
// makes engine definitions of that, with defaults applied; validate follows the
// references between them. Everything after describe is pure Go over data.
// Where JavaScript answers for models, a second, small program is linked of the
// models and providers alone, so that a first answer doesn't wait for what tools
// need; modules of the project are evaluated in each of the two.
//
// Invariants:
//   - No JavaScript runs in this process, and Definitions never waits for any.
//   - A broken file is a Problem, never a failure of Open. After a reload a broken
//     file keeps its last good definition, and the program that it came from.
//   - A snapshot is replaced as a whole; calls that run finish on the program that
//     they began with.
//   - A worker that dies fails the calls that were open in it; the next call
//     starts another.
//
// The same directory is a project itself: agents/, prompts/, models/, tools/ and
// providers/ hold the built-in definitions, lib/ the modules that projects
// import, glue/ the JavaScript side of this package.
package agents
