package agents

import (
	"fmt"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/sideb-dev/sideb/engine"
)

// lines are problems as `sideb check` shows them, without hints.
func lines(list []engine.Problem) []string {
	var out []string
	for _, p := range list {
		out = append(out, fmt.Sprintf("%s:%d:%d: %s: %s", p.File, p.Line, p.Column, p.Severity, p.Message))
	}
	return out
}

func TestAllProblemsAreReportedAtOnce(t *testing.T) {
	p := openFiles(t, basic.with(files{
		"agents/tools/one.ts":     "export default {\n  description: 'x',\n  oops oops\n};",
		"agents/tools/two.ts":     "import { z } from 'zod';\nexport default z.object({;",
		"agents/tools/throws.ts":  "import { fail } from '../../src/fail';\nfail(1);\nexport default {};",
		"src/fail.ts":             "export function fail(n: number) {\n  throw new RangeError('no ' + n);\n}",
		"agents/tools/missing.ts": "import { nope } from './one';\nimport x from 'left-pad';\nexport default nope(x);",
		"agents/tools/nothing.ts": "import { nope } from './add';\nexport default nope();",
		"agents/tools/importer.ts": `import "../../src/helper";
export default { description: "d", execute: () => 1 };`,
		"src/helper.ts":           "export const a = ;",
		"agents/tools/empty.ts":   "export const a = 1;",
		"agents/agents/lost.ts":   "export default {\n  name: 'lost',\n  sideA: {\n    prompt: 'suport' },\n};",
		"agents/prompts/twice.ts": "export default { name: 'support', prompt: 'x', model: 'gpt',\n  tools: ['ad'] };",
		"agents/hooks/h.ts":       "import { defineHook } from '@standardagents/spec';\nexport default defineHook('filter_messages', () => 1);",
	}), nil)
	defs := p.Definitions()
	want := []string{
		`agents/agents/lost.ts:4:13: error: ` + "`sideA`" + ` of agent "lost" names the prompt "suport", which doesn't exist`,
		`agents/hooks/h.ts:2:16: error: TypeError: defineHook("filter_messages", …) is no longer loaded: write defineHook({ hook: "filter_messages", id: "…", execute })`,
		`agents/prompts/twice.ts:1:24: error: the prompt "support" is already defined in agents/prompts/support.ts`,
		`agents/tools/empty.ts:1:1: error: the file has no default export`,
		`agents/tools/importer.ts:1:8: error: the file can't be loaded: it imports src/helper.ts, which has errors`,
		`agents/tools/missing.ts:2:15: error: Could not resolve "left-pad"; install the package in the project's node_modules`,
		`agents/tools/nothing.ts:1:10: error: No matching export in "agents/tools/add.ts" for import "nope"`,
		`agents/tools/one.ts:3:8: error: Expected "}" but found "oops"`,
		`agents/tools/two.ts:2:26: error: Expected identifier but found ";"`,
		`src/fail.ts:2:9: error: RangeError: no 1`,
		`src/helper.ts:1:18: error: Unexpected ";"`,
	}
	if diff := cmp.Diff(want, lines(defs.Problems)); diff != "" {
		t.Error(diff)
	}
	for _, p := range defs.Problems {
		if p.Hint == "" && !strings.Contains(p.Message, "Unexpected") && !strings.Contains(p.Message, "Expected") && !strings.Contains(p.Message, "export") {
			t.Errorf("no hint: %+v", p)
		}
	}
	if r := callNamed(t, p, "add", `{"a":1}`, newFake()); r.Result != "3" {
		t.Errorf("the rest of the project doesn't work: %+v", r)
	}
}

func TestProblemWhileAToolNests(t *testing.T) {
	p := openFiles(t, files{"agents/tools/deep.ts": `import { z } from "zod";
const nest = (n: number): any => (n === 0 ? z.string() : z.array(nest(n - 1)));
export default {
  description: "d",
  args: z.object({ v: nest(8) }),
  execute: () => 1,
};`}, nil)
	want := []string{"agents/tools/deep.ts:5:3: error: `args` of tool \"deep\" nests deeper than 7 levels"}
	if diff := cmp.Diff(want, lines(p.Definitions().Problems)); diff != "" {
		t.Error(diff)
	}
}

func TestAFileThatEndsTheWorkerIsAProblemOfItsOwn(t *testing.T) {
	p := openFiles(t, basic.with(files{
		"agents/tools/boom.ts": `const x = JSON.parse("[".repeat(5e6) + "]".repeat(5e6));
export default { description: "d", execute: () => x };`,
	}), nil)
	got := lines(p.Definitions().Problems)
	if len(got) != 1 || !strings.HasPrefix(got[0], "agents/tools/boom.ts:1:1: error: evaluating the file ended the project worker: ") {
		t.Errorf("%v", got)
	}
	if r := callNamed(t, p, "add", `{"a":1}`, newFake()); r.Result != "3" {
		t.Errorf("%+v", r)
	}
}
