// Package cmd is the command line of sideb and its only wiring place: it reads
// flags, the environment and the home directory, opens the store and the
// project, and hands them to the engine and the terminal interface.
//
// Entry point: Main, called by cmd/sideb. Each command is one file: an options
// struct, a constructor that binds the flags, and a run method.
//
// Invariants:
//
//   - stdout carries results only; everything that is about the run itself goes
//     to stderr.
//   - Exit codes are mapped in exit.go and nowhere else.
//   - Nothing is opened before a command needs it: a reader opens the store, a
//     command about definitions opens the project, a host opens both.
//   - Commands change runtime state through engine.ControlPlane only.
package cmd
