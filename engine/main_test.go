package engine_test

import (
	"flag"
	"os"
	"testing"

	"go.uber.org/goleak"
)

// TestMain lets the tests that wait for the disk wait side by side, and fails
// where one leaves a goroutine behind.
func TestMain(m *testing.M) {
	flag.Parse()
	if f := flag.Lookup("test.parallel"); f.Value.String() == f.DefValue {
		if err := f.Value.Set("16"); err != nil {
			panic(err)
		}
	}
	if err := flag.Set("rapid.nofailfile", "true"); err != nil {
		panic(err)
	}
	opencensus := goleak.IgnoreTopFunction("go.opencensus.io/stats/view.(*worker).start") // of a provider's client library
	leaks := goleak.Cleanup(func(code int) { os.Exit(code) })
	goleak.VerifyTestMain(m, leaks, opencensus)
}
