// Package sandbox runs untrusted TypeScript or JavaScript in a worker process of
// its own: Standard Agents' runCode (§13 and authoring surface §16). It knows
// nothing of threads.
//
// Run starts an Execution; Wait gives its Result. A Pool keeps workers ready; a
// nil Pool starts a worker for the one run.
//
// # What runs where
//
// The host process validates options, frames and copies values, kills and
// classifies. It never parses source. A worker links the source (esbuild), runs
// it (goja) in a fresh runtime, and converts values; it starts without
// environment, files and network as far as the system enforces that (package
// jail), in an empty directory, and is given code only once it is confined. It
// serves one Affinity (a thread, say) and only while its heap is back at its start after each
// run; anything abnormal ends it.
//
// # Limits
//
//	memory    64 MiB; up to 512 MiB, to which more is clamped (MaxMemory). An overrun is
//	          status memory, and its message names the effective limit. The heap
//	          is looked at each millisecond; a single allocation can pass the limit by 128 MiB
//	          before the system refuses it.
//	source    4 MiB, all modules together
//	values    32 MiB encoded, 2,000 levels deep; each way
//	console   1 MiB or 10,000 entries, then one entry that says so
//	reports   16 MiB
//	calls     10,000 levels of JavaScript (RangeError)
//	time      none: call Terminate, or end the context
//
// # Deviations from ECMAScript
//
// The linker bundles modules, so top-level awaits of sibling modules run one
// after another, a name read across an import cycle before its declaration is
// undefined, and a literal import() of what isn't given is a link_error. import(expression)
// resolves at run time as from the entry. TypeScript's erasure drops imports
// that are only used as types or not at all, with their specifiers unchecked; in
// JavaScript an unknown specifier always fails.
//
// The engine (goja) lacks, of ECMAScript up to 2023: WeakRef and
// FinalizationRegistry, the flag d and \p{…} of regular expressions (refused
// rather than silently wrong, as is the flag v), Intl, and proper lone surrogates in
// JSON.parse (U+FFFD). Of later editions: resizable and transferable buffers, RegExp
// modifiers, Float16Array, Math.f16round and sumPrecise. The prelude adds
// groupBy, withResolvers, Promise.try, Array.fromAsync, isWellFormed, iterator
// helpers, RegExp.escape, disposable stacks and the symbols of disposal and
// asynchronous iteration. Atomics, SharedArrayBuffer and WebAssembly are absent
// by contract. A stack overflow can't be caught by the code; it ends the run.
//
// test262's own suite runs through Run with go test -run Test262 -test262 DIR.
package sandbox
