// Package worker starts and speaks with worker processes: the only places where
// JavaScript runs. A worker is this program's own executable, started with the
// hidden command Arg, so there is nothing to install and nothing to find.
//
// main calls MainIfAsked before anything else. StartProject starts a process
// for a project's own, trusted code; Project.Build links a program, Project.Load
// evaluates it on each of the worker's VMs, Project.Call calls one of its
// functions.
//
// Invariants:
//   - No JavaScript is parsed or run in the process that calls StartProject.
//   - Whatever ends the worker, every open operation returns a *Died; the
//     caller starts another worker and goes on.
//   - Neither side ever stops reading its pipe: each has one goroutine that
//     reads into an unbounded inbox, so that full pipes can't deadlock.
//   - The worker ends when its stdin does; on Linux it is killed with its host.
//
// # The call environment
//
// The function fn is called with the elements of args and, after them, one more
// argument env:
//
//	env.signal                   an AbortSignal; fires when the caller's context ends
//	env.host(method, args)       a promise of what the Host returned (undefined for "")
//	env.hostSend(method, args)   the same without an answer, delivered in order
//
// The globals __host(method, args), __hostSend(method, args) and __signal() do
// the same for the call that is running: a call's identity follows it through
// promises, timers and fetch, so module code needs no env passed down. Outside
// any call (while a program is evaluated) __host rejects and __hostSend goes to
// Options.Logf. console methods are hostSend("console", {level, text}).
//
// args of host and hostSend are any JSON value; undefined arrives as null. A
// Uint8Array or ArrayBuffer inside a value isn't JSON: glue code writes
// {"$bytes": base64} with __bytesToBase64(bytes) and reads it with
// __base64ToBytes(text).
package worker
