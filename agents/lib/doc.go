// Package lib holds the TypeScript modules that a project may import without
// installing anything: zod, @standardagents/spec, @standardagents/builder,
// @standardagents/builder/test, and a module for each provider.
//
// Modules is the entry point: specifier to source text, to be linked as virtual
// modules. A specifier is the file's path here without ".ts", after "sideb:";
// the public specifiers name those, so that each file is evaluated once however it
// is imported. The modules need ECMAScript, URL and timers, nothing of Node.
//
// How the host recognises what a define function answered is said at the top of
// spec.ts.
package lib
