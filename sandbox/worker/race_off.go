//go:build !race

package worker

// underRace says whether this is a build with the race detector.
const underRace = false
