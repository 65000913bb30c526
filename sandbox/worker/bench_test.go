package worker

import (
	"context"
	"encoding/json"
	"testing"
)

func BenchmarkStart(b *testing.B) {
	for b.Loop() {
		p, err := StartProject(context.Background(), Options{})
		if err != nil {
			b.Fatal(err)
		}
		b.StopTimer()
		p.Close()
		b.StartTimer()
	}
}

// BenchmarkFirstCall is start, link, load and one call.
func BenchmarkFirstCall(b *testing.B) {
	for b.Loop() {
		p, err := StartProject(context.Background(), Options{})
		if err != nil {
			b.Fatal(err)
		}
		loaded(b, p, BuildRequest{ResolveDir: "/", Entry: "export const f = () => 1"})
		call(b, p, "f", "", noHost)
		b.StopTimer()
		p.Close()
		b.StartTimer()
	}
}

func BenchmarkCall(b *testing.B) {
	p := start(b, Options{})
	loaded(b, p, BuildRequest{Entry: "export const f = async () => 1"})
	for b.Loop() {
		call(b, p, "f", "", noHost)
	}
}

func BenchmarkHostCall(b *testing.B) {
	p := start(b, Options{})
	loaded(b, p, BuildRequest{Entry: `declare const __host: any; export const f = async (n: number) => { for (let i = 0; i < n; i++) await __host("echo", {i}) };
export const all = async (n: number) => { await Promise.all(Array.from({length: n}, (_, i) => __host("echo", {i}))) }`})
	for _, fn := range []string{"f", "all"} {
		b.Run(map[string]string{"f": "sequential", "all": "overlapped"}[fn], func(b *testing.B) {
			args, err := json.Marshal([]int{b.N})
			if err != nil {
				b.Fatal(err)
			}
			call(b, p, fn, string(args), echo)
		})
	}
}
