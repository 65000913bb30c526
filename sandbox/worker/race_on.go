//go:build race

package worker

// underRace: the race detector maps memory of its own, for which a bound by the
// system leaves no room.
const underRace = true
