package agents_test

import (
	"context"
	"encoding/json"
	"fmt"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/sideb-dev/sideb/engine"
)

// children are the entries of a thread's registry by agent.
func (h *house) children(id engine.ThreadID) map[string]engine.Child {
	h.Helper()
	list, err := h.c.Children(context.Background(), id)
	if err != nil {
		h.Fatal(err)
	}
	out := map[string]engine.Child{}
	for _, c := range list {
		out[c.Name] = c
	}
	return out
}

// in gives the text the references of a thread's children by name, and checks
// that each want is in it.
func (h *house) in(text string, wants ...string) {
	h.Helper()
	for _, w := range wants {
		if !strings.Contains(text, w) {
			h.Errorf("%q isn't in:\n%s", w, text)
		}
	}
}

func finish(answer string) engine.ModelResponse {
	return calls([2]string{"finish", fmt.Sprintf(`{"answer":%q}`, answer)})
}

func TestTheFourModesOfSubagents(t *testing.T) {
	h := openHouse(t, "tree", nil)
	h.play("chief",
		calls([2]string{"runner", `{"task":"run","who":"Rita"}`}, [2]string{"asker", `{"q":1}`},
			[2]string{"subagent_create", `{"agent":"keeper","name":"Kim","message":"keep","attachments":[]}`},
			[2]string{"subagent_create", `{"agent":"adviser","name":"Ada","message":"advise","attachments":[]}`},
			[2]string{"subagent_create", `{"agent":"keeper","name":"Kit","message":"too many","attachments":[]}`}),
		say("done"))
	h.play("runner", finish("ran"))
	h.play("asker", finish("asked"))
	h.play("keeper", calls([2]string{"tell", `{"text":"I keep."}`}, [2]string{"set_status", `{"text":"keeping"}`}), finish("kept"))
	h.play("adviser", calls([2]string{"progress", `{"text":"thinking"}`}), finish("advice"))
	th := h.thread("chief")
	h.turn(th, "go")
	kids := h.children(th.ThreadID)
	got := h.lines(th.ThreadID)
	ref := func(name string) string { return string(kids[name].Reference) }
	h.in(got,
		"tool: The subagent was initiated successfully. Reference: "+ref("runner")+"\n",
		"tool: asked\n",
		"tool: The subagent was initiated successfully. Reference: "+ref("keeper")+"\n",
		"tool: advice\n\nReference: "+ref("adviser")+"\n",
		"Failed to execute tool: the agent \"keeper\" may have at most 1 instances",
		"user: Subagent (reference: "+ref("runner")+") has returned the following result:\n\nran\n",
		"user: I keep.\n")
	if strings.Contains(got, "kept") {
		t.Error("an explicit child's result was queued")
	}
	if kids["runner"].Status != "terminated" || kids["asker"].Status != "terminated" || kids["keeper"].Status != "idle" || kids["adviser"].Status != "idle" {
		t.Errorf("%+v", kids)
	}
	if k := kids["runner"]; k.ThreadName != "Rita" || k.Resumable || k.Blocking || k.ParentCommunication != "implicit" {
		t.Errorf("%+v", k)
	}
	if k := kids["keeper"]; k.ThreadName != "Kim" || !k.Resumable || k.ParentCommunication != "explicit" || k.SpawnGroupID != kids["adviser"].SpawnGroupID {
		t.Errorf("%+v", k)
	}
	var statuses []string
	for _, ev := range h.events(th, engine.EventSubagentStatus) {
		statuses = append(statuses, ev.Status)
	}
	h.in(strings.Join(statuses, " "), "keeping", "thinking")

	h.play("chief", calls([2]string{"subagent_message", fmt.Sprintf(`{"referenceId":%q,"message":"more","attachments":[]}`, ref("adviser"))}), say("done"))
	h.play("adviser", finish("more advice"))
	h.forget("chief")
	h.turn(th, "again")
	h.in(h.lines(th.ThreadID), "tool: more advice\n\nReference: "+ref("adviser")+"\n")
	h.in(h.lines(kids["adviser"].Reference), "user: advise\n", "user: more\n")
}

// forget drops the replies of a model that were left over.
func (h *house) forget(model string) {
	h.mu.Lock()
	defer h.mu.Unlock()
	list := h.replies[model]
	for key, n := range h.asked {
		if strings.HasPrefix(key, model+"/") && n > len(list)-2 {
			h.asked[key] = len(list) - 2
		}
	}
}

func TestASubagentGivesUp(t *testing.T) {
	h := openHouse(t, "tree", nil)
	h.play("chief", calls([2]string{"failing", `{}`}, [2]string{"greeter", `{}`}), say("done"))
	h.play("failing", calls([2]string{"give_up", `{"reason":"too hard"}`}))
	th := h.thread("chief")
	h.turn(th, "go")
	h.in(h.lines(th.ThreadID), "tool: Failed to execute tool: too hard\n", `there is no tool named "greeter"`)
	for _, tool := range h.asks("chief")[0].Tools {
		if tool.Name == "greeter" {
			t.Error("an optional tool that is off was offered")
		}
	}
}

func TestAnOptionalSubagentIsSwitchedOn(t *testing.T) {
	h := openHouse(t, "tree", nil)
	h.play("chief", calls([2]string{"greeter", `{}`}), say("done"))
	h.play("greeter", finish("hello"))
	th := h.thread("chief", engine.EnvValue{Name: "GREETINGS", Value: "Yes", Type: engine.VariableText})
	h.turn(th, "go")
	h.in(h.lines(th.ThreadID), "tool: hello\n")
}

const secret = "tok-5f0c"

// Immediate subagents start with the thread; what scopedEnv moves to them never
// leaves the store (agents §7.6, §7.7).
func TestImmediateSubagents(t *testing.T) {
	h := openHouse(t, "tree", nil)
	h.play("account", calls([2]string{"read_token", `{}`}), finish("opened"))
	h.play("greeter", finish("hello"))
	env := func(name, value string) engine.EnvValue {
		return engine.EnvValue{Name: name, Value: value, Type: engine.VariableSecret}
	}
	th := h.thread("host", env("NAME", "First"), env("ABOUT", "the first account"), env("TOKEN", secret),
		env("NAME__2", "Second"), env("ABOUT__2", "the second account"), env("TOKEN__2", secret+"2"))
	h.settle(th)
	list, err := h.c.Children(context.Background(), th.ThreadID)
	if err != nil {
		t.Fatal(err)
	}
	var names []string
	var all strings.Builder
	for _, c := range list {
		names = append(names, c.Name+" "+c.ThreadName)
		lines := h.lines(c.Reference)
		all.WriteString(lines)
		if c.Name == "account" {
			h.in(lines, "account\n", "characters of type secret")
		}
	}
	if diff := cmp.Diff([]string{"greeter ", "account First", "account Second"}, names); diff != "" {
		t.Error(diff)
	}
	all.WriteString(h.lines(th.ThreadID))
	for _, ev := range h.events(th, "") {
		all.Write(ev.Payload)
	}
	for _, r := range h.requests {
		b, err := json.Marshal(r.ModelRequest)
		if err != nil {
			t.Fatal(err)
		}
		all.Write(b)
	}
	if i := strings.Index(all.String(), secret); i >= 0 {
		t.Errorf("the secret is in %s", all.String()[max(0, i-200):i+20])
	}
	left, err := h.c.Env(context.Background(), engine.EnvThread, th.ThreadID)
	if err != nil || len(left) != 0 {
		t.Errorf("the parent still has %+v %v", left, err)
	}
	h.in(h.lines(th.ThreadID), "has returned the following result:\n\nopened", "has returned the following result:\n\nhello")
}

func TestADeferredSubagentStartsOnceItsVariablesCome(t *testing.T) {
	h := openHouse(t, "tree", nil)
	h.play("chief", calls([2]string{"vault", `{"do":"open"}`}), say("waiting"), say("thanks"))
	h.play("vault", calls([2]string{"read_token", `{}`}), finish("open"))
	th := h.thread("chief", engine.EnvValue{Name: "TOKEN", Value: "the parent's", Type: engine.VariableSecret})
	h.turn(th, "go")
	h.in(h.lines(th.ThreadID), "(subagent_env_required)", `"missing":["TOKEN"]`, fmt.Sprintf(`"endpoint":"/api/threads/%s/variables/`, th.ThreadID))
	ctx := context.Background()
	requests, err := h.c.Requests(ctx, th.ThreadID)
	if err != nil || len(requests) != 1 {
		t.Fatalf("%+v %v", requests, err)
	}
	if _, err := h.c.ProvideEnv(ctx, requests[0].RequestID, nil); engine.CodeOf(err) != engine.CodeInvalid {
		t.Error(err)
	}
	child, err := h.c.ProvideEnv(ctx, requests[0].RequestID, map[string]string{"TOKEN": secret})
	if err != nil {
		t.Fatal(err)
	}
	h.settle(th)
	h.in(h.lines(child), "tool: 8 characters of type secret\n")
	h.in(h.lines(th.ThreadID), "has returned the following result:\n\nopen\n")
	if _, err := h.c.ProvideEnv(ctx, requests[0].RequestID, map[string]string{"TOKEN": secret}); engine.CodeOf(err) != engine.CodeNotFound {
		t.Errorf("used twice: %v", err)
	}
}

func TestAToolSchedulesEffects(t *testing.T) {
	h := openHouse(t, "tree", nil)
	h.play("chief", calls([2]string{"later", `{}`}), say("done"), say("reminded"))
	th := h.thread("chief")
	h.turn(th, "go")
	h.until(th, func() bool { return strings.Contains(h.lines(th.ThreadID), "assistant: reminded") })
	h.in(h.lines(th.ThreadID), "tool: 2,true,true,false,not_found\n", "user: reminder: tea null\n")
	for _, m := range h.messages(th.ThreadID) {
		if strings.HasPrefix(m.Text(), "reminder") {
			h.in(string(m.Metadata), `"scheduledEffect":{"id":`, `"name":"remind"`)
		}
	}
}

func TestAToolInvokesABlockingSubagent(t *testing.T) {
	h := openHouse(t, "tree", nil)
	h.play("chief", calls([2]string{"ask", `{}`}), say("done"))
	h.play("asker", finish("seven"))
	th := h.thread("chief")
	h.turn(th, "go")
	got := h.lines(th.ThreadID)
	h.in(got, "tool: the asker says seven\n")
	if strings.Contains(got, "has returned") {
		t.Errorf("the result came twice:\n%s", got)
	}
	h.in(h.lines(h.children(th.ThreadID)["asker"].Reference), `"question": "how many?"`)
}

func TestAToolReachesRelatedThreads(t *testing.T) {
	h := openHouse(t, "tree", nil)
	create := [2]string{"subagent_create", `{"agent":"keeper","name":"Kim","message":"keep","attachments":[]}`}
	h.play("chief", calls(create), calls([2]string{"family", `{}`}), calls([2]string{"dismiss", `{}`}), say("done"))
	h.play("keeper", finish("kept"), finish("kept more"))
	th := h.thread("chief")
	h.turn(th, "go")
	h.in(h.lines(th.ThreadID), `["keeper","keep",null,null,null]`, "tool: true,conflict\n")
	kim := h.children(th.ThreadID)["keeper"]
	if kim.Status != "terminated" {
		t.Errorf("%+v", kim)
	}
	env, err := h.c.Env(context.Background(), engine.EnvThread, kim.Reference)
	if err != nil || len(env) != 1 || env[0].Name != "COLOUR" || env[0].Type != engine.VariableText {
		t.Errorf("%+v %v", env, err)
	}
}
