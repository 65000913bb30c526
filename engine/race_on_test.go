//go:build race

package engine_test

// sweepStride leaves out commits of the crash sweep, which takes ten times as long
// under the race detector.
const sweepStride = 7
