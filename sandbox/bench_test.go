package sandbox

import (
	"context"
	"os"
	"runtime"
	"slices"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/sideb-dev/sideb/sandbox/value"
)

const trivial = "interface A { n: number }\nconst a: A = { n: 41 };\nexport default (x: number): number => a.n + x"

// SIDEB_EXE makes the benchmarks start the real program's workers, whose start
// costs what the whole binary initialises.
func benchPool(b *testing.B) *Pool {
	p := NewPool(PoolOptions{Exe: os.Getenv("SIDEB_EXE")})
	b.Cleanup(p.Close)
	return p
}

// timed runs f b.N times and reports percentiles.
func timed(b *testing.B, pause time.Duration, f func(i int)) {
	times := make([]time.Duration, 0, b.N)
	for i := 0; b.Loop(); i++ {
		if pause > 0 {
			b.StopTimer()
			<-time.After(pause) // paced, as calls of a model are
			b.StartTimer()
		}
		began := time.Now()
		f(i)
		times = append(times, time.Since(began))
	}
	slices.Sort(times)
	at := func(q float64) float64 { return float64(times[int(q*float64(len(times)-1))].Microseconds()) / 1000 }
	b.ReportMetric(at(0.5), "p50-ms")
	b.ReportMetric(at(0.99), "p99-ms")
}

func trivialRun(b *testing.B, p *Pool, affinity string) {
	e := Run(context.Background(), trivial, Options{Pool: p, Affinity: affinity, Execute: Execute{Args: []any{1.0}}})
	r, _ := e.Wait(context.Background())
	if r.Value != 42.0 {
		b.Fatalf("%+v %v", r, r.Err)
	}
}

func BenchmarkWarm(b *testing.B) {
	p := benchPool(b)
	trivialRun(b, p, "a")
	timed(b, 0, func(int) { trivialRun(b, p, "a") })
}

func BenchmarkWarmPaced(b *testing.B) {
	p := benchPool(b)
	trivialRun(b, p, "a")
	timed(b, 20*time.Millisecond, func(int) { trivialRun(b, p, "a") })
}

func BenchmarkPoolPaced(b *testing.B) {
	p := benchPool(b)
	trivialRun(b, p, "")
	timed(b, 60*time.Millisecond, func(int) { trivialRun(b, p, "") })
}

func BenchmarkEveryCallAnotherThread(b *testing.B) {
	p := benchPool(b)
	b.RunParallel(func(pb *testing.PB) {
		for pb.Next() {
			trivialRun(b, p, "")
		}
	})
}

func BenchmarkColdStart(b *testing.B) {
	p := benchPool(b)
	timed(b, 0, func(int) {
		w, err := startWorker(context.Background(), p.opts.Exe, &p.namespaces)
		if err != nil {
			b.Fatal(err)
		}
		w.Kill()
		<-w.Done()
	})
}

func bridged(b *testing.B, body string) {
	echo := function("echo", func(args []any) (any, error) { return args[0], nil })
	source := "export default async (n: number) => { " + body + " }"
	o := Options{Pool: benchPool(b), MemoryLimitBytes: MaxMemory, Globals: map[string]any{"echo": echo}, Execute: Execute{Args: []any{float64(b.N)}}}
	b.ResetTimer()
	r, _ := Run(context.Background(), source, o).Wait(context.Background())
	if r.Status != Success {
		b.Fatal(r.Err)
	}
}

func BenchmarkBridgedCall(b *testing.B) { bridged(b, "for (let i = 0; i < n; i++) await echo(i)") }

func BenchmarkBridgedCallOverlapped(b *testing.B) {
	bridged(b, "for (let i = 0; i < n; i += 1000) await Promise.all(Array.from({ length: 1000 }, (_, k) => echo(k)))")
}

func BenchmarkTerminate(b *testing.B) {
	for name, source := range map[string]string{"loop": "report(1); for (;;);", "native": "report(1); [].indexOf.call({ length: 2 ** 53 - 1 }, 1)"} {
		b.Run(name, func(b *testing.B) {
			p := benchPool(b)
			for b.Loop() {
				b.StopTimer()
				begun := make(chan struct{})
				e := Run(context.Background(), source, Options{Pool: p, Language: JavaScript, Report: func(any) { close(begun) }})
				<-begun
				b.StartTimer()
				e.Terminate("x")
				<-e.Released()
			}
		})
	}
}

func BenchmarkEncode(b *testing.B) {
	list := &value.Array{}
	for i := range 1000 {
		list.Items = append(list.Items, object("id", float64(i), "name", "a name", "tags", &value.Array{Items: []any{"x", "y"}, Length: 2}))
	}
	for b.Loop() {
		raw, _ := value.Encode(list, "", nil)
		if _, err := value.Decode(raw, nil); err != nil {
			b.Fatal(err)
		}
	}
}

// BenchmarkIdleWorker reports the anonymous memory of a worker that waits.
func BenchmarkIdleWorker(b *testing.B) {
	if runtime.GOOS != "linux" {
		b.Skip("reads /proc")
	}
	p := benchPool(b)
	if _, err := p.Warm(context.Background()); err != nil {
		b.Fatal(err)
	}
	raw, err := os.ReadFile("/proc/" + strconv.Itoa(p.spare[0].PID()) + "/status")
	if err != nil {
		b.Fatal(err)
	}
	_, rest, _ := strings.Cut(string(raw), "RssAnon:")
	kib, _ := strconv.Atoi(strings.Fields(rest)[0])
	for b.Loop() {
	}
	b.ReportMetric(float64(kib)/1024, "anon-MB")
}
