package agents

import (
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/sideb-dev/sideb/engine"
)

// world makes definitions by kind and name: each value is a described one.
func world(t *testing.T, described map[kind]map[string]string) *engine.Definitions {
	t.Helper()
	var list []*definition
	for _, k := range flatKinds {
		for name, value := range described[k] {
			d := convertJSON(t, k, value)
			d.source.Rel = "agents/" + string(k) + "/" + name + ".ts"
			if d.tool != nil {
				d.tool.Name = name
			}
			list = append(list, d)
		}
	}
	return assemble(list)
}

const model = `{"name":"m","model":"x","provider":"openai"}`
const tool = `{"description":"d","execute":` + fn + `}`

func prompt(name, more string) string {
	return `{"name":"` + name + `","model":"m","prompt":"x"` + more + `}`
}

func TestReferencesAreValidated(t *testing.T) {
	dual := func(name, more string) string {
		return `{"name":"` + name + `","type":"dual_ai","maxSessionTurns":2,"sideA":{"prompt":"p"},"sideB":{"prompt":"p"}` + more + `}`
	}
	for name, c := range map[string]struct {
		defs map[kind]map[string]string
		want []string
	}{
		"all is well": {map[kind]map[string]string{
			kindModel: {"m": model}, kindTool: {"t": tool}, kindPrompt: {"p": prompt("p", `,"tools":["t","provider:search","s"]`)},
			kindAgent: {"s": dual("s", `,"exposeAsTool":true,"toolDescription":"d"`)},
		}, nil},
		"subagent with the name of a prompt": {map[kind]map[string]string{
			kindModel: {"m": model}, kindPrompt: {"p": prompt("p", `,"tools":[{"name":"s","blocking":false}]`), "s": prompt("s", "")},
			kindAgent: {"s": dual("s", `,"exposeAsTool":true,"toolDescription":"d"`)},
		}, []string{
			"warning: the exposed agent \"s\" has the name of a prompt (agents/prompts/s.ts): where it is called without options of a subagent, the prompt is meant",
		}},
		"missing prompt of a side": {map[kind]map[string]string{
			kindModel: {"m": model}, kindPrompt: {"p": prompt("p", "")},
			kindAgent: {"a": `{"name":"a","type":"dual_ai","maxSessionTurns":1,"sideA":{"prompt":"p"},"sideB":{"prompt":"q"}}`},
		}, []string{"error: `sideB` of agent \"a\" names the prompt \"q\", which doesn't exist"}},
		"model, hook and tool of a prompt": {map[kind]map[string]string{
			kindModel: {"m": model}, kindPrompt: {"p": `{"name":"p","model":"n","prompt":"x","hooks":["h"],"tools":["t","t","pkg/x","mcp:y"]}`},
		}, []string{
			"error: prompt \"p\" lists the hook \"h\", which doesn't exist",
			"error: prompt \"p\" names the model \"n\", which doesn't exist",
			"error: `tools` of prompt \"p\" lists \"t\", which is no tool, prompt or agent",
			"warning: prompt \"p\" lists \"t\" twice",
			"error: `tools` of prompt \"p\" lists \"t\", which is no tool, prompt or agent",
			"error: `tools` of prompt \"p\" lists \"pkg/x\": packed packages are not loaded",
			"warning: `tools` of prompt \"p\" lists \"mcp:y\": MCP tools are not supported yet",
		}},
		"fallbacks and provider": {map[kind]map[string]string{
			kindModel: {"m": `{"name":"m","model":"x","provider":"opnai","fallbacks":["m","gone"]}`},
		}, []string{
			"warning: model \"m\" falls back to itself",
			"error: model \"m\" falls back to the model \"gone\", which doesn't exist",
			"error: model \"m\" names the provider \"opnai\", which doesn't exist; did you mean \"openai\"?",
		}},
		"include cycle": {map[kind]map[string]string{
			kindModel: {"m": model}, kindPrompt: {
				"a": `{"name":"a","model":"m","prompt":[{"type":"include","prompt":"b"}]}`,
				"b": `{"name":"b","model":"m","prompt":[{"type":"include","prompt":"a"}]}`,
				"c": `{"name":"c","model":"m","prompt":[{"type":"include","prompt":"a"},{"type":"include","prompt":"z"}]}`,
			},
		}, []string{
			"error: prompt \"a\" includes itself: a → b → a", "error: prompt \"b\" includes itself: b → a → b",
			"error: prompt \"c\" includes the prompt \"z\", which doesn't exist",
		}},
		"subagent entries": {map[kind]map[string]string{
			kindModel: {"m": model}, kindTool: {"t": tool},
			kindPrompt: {"p": prompt("p", `,"tools":[{"name":"t","blocking":false},"hidden",{"name":"human","immediate":true}]`)},
			kindAgent:  {"hidden": dual("hidden", ""), "human": `{"name":"human","sideA":{"prompt":"p"}}`},
		}, []string{
			"error: the entry \"t\" in `tools` of prompt \"p\" has options of a subagent (resumable, immediate, blocking, initAgentNameProperty), but it isn't an agent",
			"error: `tools` of prompt \"p\" lists the agent \"hidden\", which isn't exposed as a tool",
			"error: the entry \"human\" in `tools` of prompt \"p\" has options of a subagent, but that agent is ai_human: calling it hands the thread over",
		}},
		"stop tools": {map[kind]map[string]string{
			kindModel: {"m": model}, kindTool: {"done": tool}, kindPrompt: {"p": prompt("p", "")},
			kindAgent: {"a": `{"name":"a","sideA":{"prompt":"p","sessionStop":"done","stopTool":"end"}}`},
		}, []string{
			"warning: `sessionStop` in `sideA` of agent \"a\" names \"done\", which isn't among the tools of its prompt \"p\": the model can't call it",
			"error: `stopTool` in `sideA` of agent \"a\" names the tool \"end\", which doesn't exist",
		}},
		"clashes and uses": {map[kind]map[string]string{
			kindModel: {"m": model}, kindPrompt: {"p": prompt("p", "")},
			kindTool: {"p": `{"description":"d","execute":` + fn + `,"uses":["gone"]}`, "subagent_create": tool},
		}, []string{
			"error: `uses` of tool \"p\" names \"gone\", which is no tool, prompt or agent",
			"warning: the prompt \"p\" has the name of a tool (agents/tools/p.ts): where it is called, the tool is meant",
			"warning: the tool \"subagent_create\" has the name of a tool of the runtime, which hides it where subagents can be created",
		}},
	} {
		t.Run(name, func(t *testing.T) {
			defs := world(t, c.defs)
			if len(defs.Problems) != 0 {
				t.Fatal(problemTexts(defs.Problems))
			}
			if diff := cmp.Diff(c.want, problemTexts(validate(defs, nil))); diff != "" {
				t.Error(diff)
			}
		})
	}
}

func TestDuplicateNamesKeepTheFirstFile(t *testing.T) {
	one, two := convertJSON(t, kindPrompt, prompt("p", "")), convertJSON(t, kindPrompt, prompt("p", ""))
	one.source.Rel, two.source.Rel = "agents/prompts/a.ts", "agents/prompts/b.ts"
	two.text = written("export default definePrompt({\n  name: 'p' })")
	defs := assemble([]*definition{one, two})
	want := []engine.Problem{{Severity: engine.SeverityError, File: "agents/prompts/b.ts", Line: 2, Column: 9,
		Message: `the prompt "p" is already defined in agents/prompts/a.ts`, Hint: "give one of them another name; until then the first one is used"}}
	if diff := cmp.Diff(want, defs.Problems); diff != "" {
		t.Error(diff)
	}
	if defs.Prompts["p"].File != "agents/prompts/a.ts" {
		t.Error("the first file lost its name")
	}
}

func TestHintsNameWhatIsNear(t *testing.T) {
	defined := map[string]int{"support": 1, "billing": 1}
	for name, want := range map[string]string{
		"suport": `did you mean "support"?`,
		"zzz":    "define it in agents/prompts/, or use one of: billing, support",
	} {
		if got := hintFor(name, kindPrompt, defined); got != want {
			t.Errorf("hintFor(%q) = %q", name, got)
		}
	}
	if got := hintFor("x", kindPrompt, map[string]int{}); got != "define it in agents/prompts/" {
		t.Error(got)
	}
}
