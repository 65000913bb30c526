// Package storage keeps everything durable in one data directory, on SQLite. It
// implements engine.Store; all SQL of the program is here.
//
// Entry point: Open.
//
// The directory holds
//
//	sideb.db (-wal, -shm)   the database
//	write.lock              taken by a process around each of its transactions
//	hosts/<id>.lock         held by a host for as long as it lives
//	key                     the secrets' key (0600), where no keyring serves
//
// # Invariants
//
//   - One connection writes, and one caller at a time has it (its turn). It commits
//     for all who wait: they share one transaction and so one disk flush; one that
//     fails takes no other with it.
//   - The write lock precedes BEGIN: waiting on it is fair between processes, and
//     SQLite's own busy polling isn't.
//   - A lease is checked by the rows that the UPDATE of the thread row affects.
//   - What the writer remembers of rows is valid until another process commits,
//     which it learns from the database's data version at BEGIN.
//   - A host is alive while its lock file is locked. Only where the file system
//     has no locks does a host write a heartbeat; else nothing is written at rest.
//   - A read model is never written but by engine.Apply on an event of the same
//     transaction, or with the identity of the thread that it starts from.
package storage
