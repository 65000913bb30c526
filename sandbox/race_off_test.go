//go:build !race

package sandbox

// slack scales memory limits that a run is to stay within.
const slack = 1
