package lib_test

import (
	"encoding/json"
	"io/fs"
	"os"
	"path"
	"strings"
	"testing"

	"github.com/sideb-dev/sideb/agents/template"
)

// tree is the TypeScript below the folders of fsys, as files of /project.
func tree(t *testing.T, fsys fs.FS, folders ...string) map[string]string {
	t.Helper()
	out := map[string]string{}
	for _, folder := range folders {
		err := fs.WalkDir(fsys, folder, func(name string, d fs.DirEntry, err error) error {
			if err != nil || d.IsDir() || path.Ext(name) != ".ts" {
				return err
			}
			text, err := fs.ReadFile(fsys, name)
			out["/project/"+name] = string(text)
			return err
		})
		if err != nil {
			t.Fatal(err)
		}
	}
	return out
}

// conversation plays one thread: say sends a message and answers what the agent
// wrote, the calls that it made and their results.
const conversation = `
const values = {};
const state = { runCode: async (code) => (code.includes("boom") ? { status: "error", logs: [], error: { name: "Error", message: "boom", line: 1, column: 2 } }
    : { status: "success", result: 6765, logs: [{ args: ["logged", 1] }] }), getValue: async (k) => values[k] ?? null, setValue: async (k, v) => { values[k] = v; } };
const messages = [];

async function ask(model, request) {
  const answer = { content: "", calls: [] };
  for await (const c of await provider({}).stream({ model, ...request })) {
    if (c.type === "content-delta") answer.content += c.delta;
    if (c.type === "tool-call-start") answer.calls.push({ id: c.id, name: c.name });
    if (c.type === "tool-call-done") answer.calls.find((x) => x.id === c.id).arguments = c.arguments;
    if (c.type === "finish") answer.finish = c;
  }
  return answer;
}

async function run({ name, arguments: args }) {
  if (!tools[name]) return (await ask("poet", { messages: [{ role: "user", content: JSON.stringify(args) }] })).content;
  const parsed = tools[name].args ? tools[name].args.safeParse(args) : { success: true };
  if (!parsed.success) return "failed to execute tool: " + parsed.error.issues.map((i) => i.message).join("; ");
  return (await tools[name].execute(state, parsed.data)).result;
}

export async function say(text) {
  messages.push({ role: "user", content: text });
  const said = { text: "", calls: [], results: [], steps: 0 };
  for (;;) {
    const request = { messages, tools: names.map((name) => ({ type: "function", function: { name } })), __callIndex: messages.length };
    const { content, calls, finish } = await ask("guide", request);
    said.steps++;
    said.text += content;
    messages.push({ role: "assistant", content: content || null, toolCalls: calls });
    if ((finish.finishReason === "tool_calls") !== calls.length > 0) throw new Error("finish reason " + finish.finishReason);
    if (!calls.length) return said;
    for (const call of calls) {
      const result = await run(call);
      said.calls.push(call.name + " " + JSON.stringify(call.arguments));
      said.results.push(result);
      messages.push({ role: "tool", toolCallId: call.id, toolName: call.name, content: result });
    }
  }
}
`

type spoken struct {
	Text    string   `json:"text"`
	Calls   []string `json:"calls"`
	Results []string `json:"results"`
	Steps   int      `json:"steps"`
}

func tour(t *testing.T) func(text string) spoken {
	t.Helper()
	var entry strings.Builder
	names := []string{"roll_dice", "word_count", "remember", "recall", "clock", "run_code"}
	for _, name := range names {
		entry.WriteString(`import ` + name + ` from "/project/tools/` + name + `";` + "\n")
	}
	entry.WriteString(`import provider from "/project/providers/tour";` + "\nconst tools = { " + strings.Join(names, ", ") + " };\n")
	entry.WriteString(`const names = [...Object.keys(tools), "haiku"];` + conversation)
	call := program(t, entry.String(), tree(t, os.DirFS(".."), "agents", "prompts", "models", "tools", "providers"))
	return func(text string) spoken {
		t.Helper()
		var s spoken
		if err := json.Unmarshal(call("say", text), &s); err != nil {
			t.Fatal(err)
		}
		return s
	}
}

func TestTheTourCallsTheToolThatFits(t *testing.T) {
	say := tour(t)
	for _, c := range []struct{ text, calls, contains string }{
		{"hello", "", "# Welcome to sideb"},
		{"Hi!", "", "Hello again"},
		{"roll two dice", `roll_dice {"count":2}`, "I rolled 2 dice with 6 sides"},
		{"3d20 please", `roll_dice {"count":3,"sides":20}`, "with 20 sides"},
		{"flip a coin", `roll_dice {"count":1,"sides":2}`, "The coin shows"},
		{`count the words in "the quick brown fox"`, `word_count {"text":"the quick brown fox"}`, "| words | 4 |"},
		{"what do you remember?", `recall {}`, "no notes yet"},
		{"remember that my cat is called Ada", `remember {"note":"my cat is called Ada"}`, "*my cat is called Ada*"},
		{"What did I tell you?", `recall {}`, "- my cat is called Ada"},
		{"what time is it at UTC+2?", `clock {"utc_offset":2}`, "UTC+2 on"},
		{"a haiku about the sea", `haiku {"topic":"the sea"}`, "> **the sea**"},
		{"compute fib(20)", `run_code {"code":"const fib = (n: number): number => (n < 2 ? n : fib(n - 1) + fib(n - 2));\nexport default fib(20);"}`, "It answered `6765`."},
		{"please run `1 + 2`", `run_code {"code":"export default 1 + 2;"}`, "*logged 1*"},
		{"roll a die and tell me the time", `roll_dice {"count":1}|clock {}`, "It is **"},
		{"break something", `roll_dice {"count":1,"sides":1}`, "> failed to execute tool: Too small: expected number to be >=2"},
		{"how do turns work?", "", "## Sides, steps and turns"},
		{"show me the tools", "", "| tool | kind |"},
		{"my own agent", "", "```ts"},
		{"help", "", "| say | what happens |"},
		{"", "", "Try:"},
		{"?!§ \x00 🎲", "", "Try:"},
		{strings.Repeat("word ", 5000), "", "Try:"},
	} {
		s := say(c.text)
		if got := strings.Join(s.Calls, "|"); got != c.calls {
			t.Errorf("%.40q called %s, want %s", c.text, got, c.calls)
		}
		if !strings.Contains(s.Text, c.contains) {
			t.Errorf("%.40q: %q is not in\n%s", c.text, c.contains, s.Text)
		}
		if want := 1 + min(len(s.Calls), 1); s.Steps != want {
			t.Errorf("%.40q took %d steps, want %d", c.text, s.Steps, want)
		}
	}
}

func TestTheTourUsesEachToolResult(t *testing.T) {
	say := tour(t)
	s := say("roll 2 dice, write a haiku about rust, and what's the date?")
	if len(s.Results) != 3 {
		t.Fatalf("calls: %v", s.Calls)
	}
	var dice struct{ Total json.Number }
	var clock struct{ Date string }
	for i, call := range s.Calls {
		switch {
		case strings.HasPrefix(call, "roll_dice"):
			_ = json.Unmarshal([]byte(s.Results[i]), &dice)
		case strings.HasPrefix(call, "clock"):
			_ = json.Unmarshal([]byte(s.Results[i]), &clock)
		default:
			for _, line := range strings.Split(s.Results[i], "\n") {
				if !strings.Contains(s.Text, strings.TrimSpace(line)) {
					t.Errorf("%q of the haiku is not in\n%s", line, s.Text)
				}
			}
		}
	}
	for _, part := range []string{"**" + dice.Total.String() + "**", clock.Date} {
		if part == "****" || part == "" || !strings.Contains(s.Text, part) {
			t.Errorf("%q is not in\n%s", part, s.Text)
		}
	}
}

func TestTheBuiltInDefinitionsLoad(t *testing.T) {
	files := tree(t, os.DirFS(".."), "agents", "prompts", "models", "tools", "providers")
	loadsAll(t, files, map[string]string{"agents": "agent", "prompts": "prompt", "models": "model", "tools": "tool", "providers": "provider"}, "/project/")
}

func TestTheTemplateLoads(t *testing.T) {
	files := tree(t, template.Project(), "agents")
	loadsAll(t, files, map[string]string{"agents": "agent", "prompts": "prompt", "models": "model", "tools": "tool", "providers": "provider"}, "/project/agents/")
	for _, name := range []string{"README.md", ".gitignore", "tsconfig.json", "package.json", "standardagents.d.ts"} {
		if _, err := fs.Stat(template.Project(), name); err != nil {
			t.Error(err)
		}
	}
	// The packages of these modules aren't all on the registry: a dependency on
	// them would make the install that the README offers fail.
	b, err := fs.ReadFile(template.Project(), "package.json")
	if err != nil || strings.Contains(string(b), "@standardagents/") {
		t.Errorf("%s %v", b, err)
	}
}

// loadsAll imports every definition file and checks that its default export is
// of the kind that its folder says.
func loadsAll(t *testing.T, files, kinds map[string]string, root string) {
	t.Helper()
	want := map[string]string{}
	var list strings.Builder
	list.WriteString("export async function load() {\n  const out = {};\n")
	for file := range files {
		folder, _, _ := strings.Cut(strings.TrimPrefix(file, root), "/")
		if path.Dir(file) != root+folder {
			continue // a part of a definition, not one itself
		}
		want[file] = kinds[folder]
		list.WriteString(`  out["` + file + `"] = (await import("` + file + `")).default.__kind;` + "\n")
	}
	list.WriteString("  return out;\n}\n")
	text, _ := json.Marshal(want)
	sameJSON(t, "kinds", text, program(t, list.String(), files)("load"))
	if len(want) < 6 {
		t.Errorf("only %d definitions were found", len(want))
	}
}

func TestTheTourAnswersWhatWasQueuedMeanwhile(t *testing.T) {
	call := program(t, `
import provider from "/project/providers/tour";
export const next = () => provider({}).generate({ model: "guide",
  tools: [{ type: "function", function: { name: "clock" } }],
  messages: [
    { role: "user", content: "roll a die" },
    { role: "assistant", content: null, toolCalls: [{ id: "c", name: "roll_dice", arguments: { count: 1 } }] },
    { role: "tool", toolCallId: "c", toolName: "roll_dice", content: '{"sides":6,"rolls":[5],"total":5}' },
    { role: "user", content: [{ type: "text", text: "and what time is it?" }] },
  ] });`, tree(t, os.DirFS(".."), "providers"))
	var answer struct {
		Content   string
		ToolCalls []struct{ Name string }
	}
	if err := json.Unmarshal(call("next"), &answer); err != nil {
		t.Fatal(err)
	}
	if answer.Content != "I rolled 1 die with 6 sides: **5**." || len(answer.ToolCalls) != 1 || answer.ToolCalls[0].Name != "clock" {
		t.Errorf("answered %+v", answer)
	}
}
