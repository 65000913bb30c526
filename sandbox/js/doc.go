// Package js is the only importer of esbuild and goja: it links TypeScript into
// one text and runs it. It must be executed inside worker processes only, since
// what it is given can overflow the Go stack, which nothing can recover from.
//
// Link turns an entry module and everything that it imports into a text;
// Engine.Compile makes that text a Program; Engine.NewVM starts a VM, which
// evaluates programs (Load), calls their functions (Call) and asks its Host.
// None of goja's or esbuild's types leave the package.
//
// Invariants:
//   - A VM's runtime is touched by its loop goroutine alone; whatever comes from
//     elsewhere is posted to the loop.
//   - Linked text is one async arrow function that takes a function register and
//     calls it with the entry's namespace. It assigns no global.
//   - Positions in what is reported (Diagnostic, Thrown) are those of the source.
package js
