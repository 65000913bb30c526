package enginetest

import (
	"bytes"
	"crypto/sha256"
	"encoding/hex"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"testing"

	"github.com/sideb-dev/sideb/engine"
)

// testKeyValue follows runtime §14.1.
func testKeyValue(t *testing.T, w *storeWorld) {
	w.create("t1")
	w.commit(engine.Commit{Create: []engine.Thread{{ID: "t2", SessionID: "s-t1", ParentID: "t1", Project: "/p", CreatedAt: 1}}})
	get := func(thread engine.ThreadID, key string) string {
		v, err := w.Value(w.ctx, thread, key)
		if err != nil {
			t.Fatal(err)
		}
		if v == nil {
			return "none"
		}
		return string(v)
	}
	set := func(thread engine.ThreadID, key, value string) {
		v := engine.Value{Key: key}
		if value != "" {
			v.Value = []byte(value)
		}
		w.commit(engine.Commit{Thread: thread, Values: []engine.Value{v}})
	}
	equal(t, "never written", get("t1", "k"), "none")
	for _, value := range []string{`{"a":[1,"x",null,true]}`, `[]`, `"text"`, `0`, `false`, `null`} {
		set("t1", "k", value)
		equal(t, "round trip", get("t1", "k"), value)
	}
	equal(t, "of a child", get("t2", "k"), "none")
	set("t2", "k", `"child's"`)
	set("t1", "k2", `2`)
	n, err := w.Values(w.ctx, "t1")
	if err != nil {
		t.Fatal(err)
	}
	equal(t, "count", n, 2)
	set("t1", "k", "")
	equal(t, "deleted", get("t1", "k"), "none")
	equal(t, "of the child still", get("t2", "k"), `"child's"`)
	set("t1", "never set", "")
}

func testEnv(t *testing.T, w *storeWorld) {
	w.create("t1")
	w.create("t2")
	const secret = "swordfish-0123456789"
	w.commit(engine.Commit{Env: []engine.EnvValue{
		{Scope: engine.EnvThread, ThreadID: "t1", Name: "KEY", Value: secret, Type: engine.VariableSecret},
		{Scope: engine.EnvThread, ThreadID: "t1", Name: "A", Value: "plain", Type: engine.VariableText},
		{Scope: engine.EnvUser, Name: "KEY", Value: secret + "-user", Type: engine.VariableSecret},
		{Scope: engine.EnvInstance, Name: "KEY", Value: "first", Type: engine.VariableText},
	}})
	list := func(scope engine.EnvScope, thread engine.ThreadID) string {
		values, err := w.Env(w.ctx, scope, thread)
		if err != nil {
			t.Fatal(err)
		}
		out := ""
		for _, v := range values {
			out += fmt.Sprintf("%s=%s (%s) ", v.Name, v.Value, v.Type)
		}
		return out
	}
	equal(t, "thread", list(engine.EnvThread, "t1"), "A=plain (text) KEY="+secret+" (secret) ")
	equal(t, "other thread", list(engine.EnvThread, "t2"), "")
	equal(t, "user", list(engine.EnvUser, ""), "KEY="+secret+"-user (secret) ")
	w.commit(engine.Commit{Env: []engine.EnvValue{
		{Scope: engine.EnvInstance, Name: "KEY", Value: "second", Type: engine.VariableText},
		{Scope: engine.EnvThread, ThreadID: "t1", Name: "A", Delete: true},
	}})
	equal(t, "replaced", list(engine.EnvInstance, ""), "KEY=second (text) ")
	equal(t, "unset", list(engine.EnvThread, "t1"), "KEY="+secret+" (secret) ")
	w.refuse(engine.CodeInvalid, engine.Commit{Env: []engine.EnvValue{{Scope: engine.EnvProcess, Name: "X", Value: "y"}}})
	w.wantNowhere(secret)
	w.close()
	w = w.second()
	equal(t, "after reopening", list(engine.EnvUser, ""), "KEY="+secret+"-user (secret) ")
	w.wantNowhere(secret)
}

// wantNowhere looks for text in every file of the store.
func (w *storeWorld) wantNowhere(text string) {
	w.Helper()
	err := filepath.WalkDir(w.dir, func(path string, d fs.DirEntry, err error) error {
		if err != nil || d.IsDir() {
			return err
		}
		b, err := os.ReadFile(path)
		if bytes.Contains(b, []byte(text)) {
			w.Errorf("%s holds the plain text of a secret", path)
		}
		return err
	})
	if err != nil {
		w.Fatal(err)
	}
}

func outputOf(data []byte) engine.Output {
	sum := sha256.Sum256(data)
	return engine.Output{Ref: engine.OutputRef("sha256:" + hex.EncodeToString(sum[:])), MediaType: "text/plain", Data: data}
}

func testOutputs(t *testing.T, w *storeWorld) {
	w.create("t1")
	w.create("t2")
	big := outputOf(bytes.Repeat([]byte("0123456789abcdef"), 50_000))
	empty := outputOf(nil)
	w.commit(engine.Commit{Thread: "t1", Outputs: []engine.Output{big, empty}})
	w.commit(engine.Commit{Thread: "t2", Outputs: []engine.Output{big}})
	for _, want := range []engine.Output{big, empty} {
		got, err := w.Output(w.ctx, want.Ref)
		if err != nil {
			t.Fatal(err)
		}
		if !bytes.Equal(got.Data, want.Data) || got.MediaType != "text/plain" {
			t.Errorf("output of %d bytes came back with %d (%s)", len(want.Data), len(got.Data), got.MediaType)
		}
	}
	w.refuse(engine.CodeInvalid, engine.Commit{Outputs: []engine.Output{{Ref: big.Ref, Data: []byte("other")}}})
	w.commit(engine.Commit{Delete: []engine.ThreadID{"t1"}})
	if _, err := w.Output(w.ctx, big.Ref); err != nil {
		t.Errorf("an output that another thread needs went: %v", err)
	}
	w.commit(engine.Commit{Delete: []engine.ThreadID{"t2"}})
	_, err := w.Output(w.ctx, big.Ref)
	wantCode(t, err, engine.CodeNotFound)
}

func testDelete(t *testing.T, w *storeWorld) {
	keep, th := w.create("keep"), w.create("t1")
	w.busy(th)
	w.busy(keep)
	fill := func(id engine.ThreadID) {
		w.commit(engine.Commit{Thread: id, Messages: []engine.Message{message(id, "m", "x")},
			Values:  []engine.Value{{Key: "k", Value: []byte(`1`)}},
			Env:     []engine.EnvValue{{Scope: engine.EnvThread, ThreadID: id, Name: "N", Value: "v", Type: engine.VariableText}},
			Enqueue: []engine.QueueItem{{ID: engine.QueueID("q-" + id), ThreadID: id}},
			Signals: []engine.Signal{{ThreadID: id, Kind: engine.SignalInterrupt}}})
	}
	w.commit(engine.Commit{Create: []engine.Thread{{ID: "kid", SessionID: th.SessionID, ParentID: "t1", Project: "/p", CreatedAt: 1, Arguments: []byte(`{}`)}}})
	fill("t1")
	fill("kid")
	fill("keep")
	w.commit(engine.Commit{Delete: []engine.ThreadID{"t1", "kid", "nobody"}})
	for _, id := range []engine.ThreadID{"t1", "kid"} {
		_, err := w.Thread(w.ctx, id)
		wantCode(t, err, engine.CodeNotFound)
	}
	_, err := w.Turn(w.ctx, "turn-t1")
	wantCode(t, err, engine.CodeNotFound)
	_, err = w.Session(w.ctx, th.SessionID)
	wantCode(t, err, engine.CodeNotFound)
	events, err := w.Events(w.ctx, engine.EventQuery{Session: th.SessionID})
	if err != nil || len(events) != 0 {
		t.Errorf("%d events, %v", len(events), err)
	}
	signals, err := w.Signals(w.ctx)
	if err != nil || len(signals) != 1 {
		t.Errorf("%d signals, %v", len(signals), err)
	}
	equal(t, "the queue that stays", w.queueIDs("keep"), "q-keep")
	w.create("t1") // the id is free again, and starts with nothing
	equal(t, "messages", w.page(engine.MessageQuery{Thread: "t1"}).Total, 0)
	equal(t, "queue", w.queueIDs("t1"), "")
	n, err := w.Values(w.ctx, "t1")
	if err != nil || n != 0 {
		t.Errorf("%d values, %v", n, err)
	}
}
