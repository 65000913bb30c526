package agents_test

import (
	"context"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/sideb-dev/sideb/engine"
)

const hooksLog = `created null
before_create user object
after_create user true
system Help.
filter user:-:true
prefilter system user user
before_create assistant string
after_create assistant true
success function add string success
store add
before_create tool object
after_create tool true
failure fail Error: broken
store fail
before_create tool object
after_create tool true
success function forget string success
before_create user object
after_create user true
before_update string content,metadata
after_update edited! {"edits":1,"seen":true}
success function edit string success
store edit
before_create tool object
after_create tool true
system Help.
filter user:-:true assistant:string:true tool:-:true tool:-:true user:-:true tool:-:true
prefilter system user assistant tool tool tool user add {"a":1,"b":2} fail {} edit {}
before_create assistant object
after_create assistant true`

// The hooks of authoring surface §7 run where it says, in its order, and change
// what it lets them change.
func TestEveryHookRunsInOrder(t *testing.T) {
	h := openHouse(t, "hooks", nil)
	h.play("m",
		calls([2]string{"add", `{"a":1,"b":2}`}, [2]string{"fail", `{}`}, [2]string{"forget", `{}`}, [2]string{"edit", `{}`}),
		say("done"))
	th := h.thread("main")
	if turn := h.turn(th, "hi"); turn.Status != engine.TurnCompleted {
		t.Errorf("%+v", turn)
	}
	var log []string
	h.until(th, func() bool { // the last hooks run after the turn's last commit
		h.value(th.ThreadID, "log", &log)
		return h.free(th.ThreadID)
	})
	if diff := cmp.Diff(hooksLog, strings.Join(log, "\n")); diff != "" {
		t.Error(diff)
	}
	want := `user: HI
assistant:  [add {"a":1,"b":2}] [fail {}] [edit {}]
tool: 3 (checked) (stored)
tool: recovered (stored)
user: edited!
tool: edited!; true (stored)
assistant: done
`
	if diff := cmp.Diff(want, h.lines(th.ThreadID)); diff != "" {
		t.Error(diff)
	}
	last := h.asks("m")[1]
	if last.System != "Help. Be brief." {
		t.Errorf("system: %s", last.System)
	}
	n := len(last.Messages)
	if last.Messages[n-2].Text() != "from the filter" || last.Messages[n-1].Text() != "from the prefilter" {
		t.Errorf("%+v", last.Messages)
	}
	failed := h.events(th, engine.EventHookFailed)
	if len(failed) != 3 || !strings.Contains(string(failed[0].Payload), "out of order") {
		t.Errorf("%d hooks failed: %+v", len(failed), failed)
	}
}

// free reports whether the thread has no owner.
func (h *house) free(id engine.ThreadID) bool {
	h.Helper()
	rec, err := h.store.Thread(context.Background(), id)
	if err != nil {
		h.Fatal(err)
	}
	return rec.Owner == ""
}

func TestAHookHearsOfASubagent(t *testing.T) {
	for name, call := range map[string][2]string{"direct": {"pair", `{"task":"talk"}`}, "by a tool": {"ask_pair", `{}`}} {
		t.Run(name, func(t *testing.T) {
			h := openHouse(t, "hooks", nil)
			h.play("m", calls(call), say("done"))
			h.play("side", calls([2]string{"finish", `{"answer":"42"}`}))
			th := h.thread("main")
			h.turn(th, "hi")
			var log []string
			h.value(th.ThreadID, "log", &log)
			want := "born pair null null true getValue can't be called on a parent or child thread: there are getMessages, getMessage, queueMessage, setEnv, terminate"
			if n := strings.Count(strings.Join(log, "\n"), want); n != 1 {
				t.Errorf("%d times: %s", n, strings.Join(log, "\n"))
			}
			if got := h.lines(th.ThreadID); !strings.Contains(got, "42") || !strings.Contains(got, "(stored)") {
				t.Error(got)
			}
			h.until(th, func() bool { return h.free(th.ThreadID) })
		})
	}
}

func TestAHookBlocks(t *testing.T) {
	h := openHouse(t, "hooks", nil)
	th := h.thread("guarded")
	turn := h.turn(th, "hi")
	if turn.Status != engine.TurnFailed || turn.StopReason != engine.StopHookBlocked {
		t.Errorf("%+v", turn)
	}
	if got := h.lines(th.ThreadID); got != "user: hi\nassistant: Not in this house.\n" {
		t.Error(got)
	}
	if len(h.asks("m")) != 0 {
		t.Error("the model was asked")
	}
}

func TestASlowHookIsLeftBehind(t *testing.T) {
	h := openHouse(t, "hooks", func(c *engine.Config) { c.HookTimeout = time.Millisecond })
	th := h.thread("slow")
	if turn := h.turn(th, "hi"); turn.Status != engine.TurnCompleted {
		t.Errorf("%+v", turn)
	}
	if got := h.asks("m")[0].System; got != "Plain." {
		t.Error(got)
	}
	failed := h.events(th, engine.EventHookFailed)
	if len(failed) != 1 || !strings.Contains(string(failed[0].Payload), "the hook took longer than 1ms") {
		t.Errorf("%+v", failed)
	}
}
