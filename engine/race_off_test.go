//go:build !race

package engine_test

// sweepStride is the distance of the commits that the crash sweep crashes at.
const sweepStride = 1
