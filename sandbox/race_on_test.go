//go:build race

package sandbox

// slack scales memory limits that a run is to stay within: what the race detector
// keeps counts as the run's.
const slack = 4
