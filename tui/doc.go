// Package tui is the terminal interface: the threads, one conversation and the
// composer.
//
// Entry point: Run. It draws the empty shell at once and loads everything else
// by commands.
//
// There is one tea.Model, app. Its parts (thread list, transcript, composer,
// queue, status line, dialogs) are plain structs that are told their size and
// asked for lines; they hold no context, do no I/O and know nothing of each
// other. Another screen is another part that app sizes, draws and hands keys to.
//
// The tree of threads (tree) is such a screen: forest folds the read models,
// treeread reads what changed since the newest change that is known, in this
// process or another, and treekeys looks into a thread and comes back.
//
// # Invariants
//
//  1. Update and View do no I/O: what reads or changes anything is a command.
//  2. What is shown is what the read model says; durable events only tell what to
//     read again. Deltas are shown until the message that they belong to is read.
//  3. Events arrive as one message per frame, however many there are.
//  4. The reader's position is an anchor (entry, line): nothing that arrives below
//     it moves it.
//  5. Only lines in view are laid out; a finished entry is laid out once per width.
//  6. Nothing ticks while nothing runs: no bytes, no work.
//  7. Nothing that happens moves the rows of a tree once the reader has moved.
//  8. What is typed into a form is in its fields and in the call that takes it,
//     nowhere else.
//  9. Text from models, tools and people reaches the screen through clean only, so
//     that none of it can carry an escape sequence.
package tui
