package lib_test

import (
	"bufio"
	"context"
	"encoding/json"
	"os"
	"path/filepath"
	"reflect"
	"strings"
	"testing"

	"github.com/sideb-dev/sideb/agents/lib"
	"github.com/sideb-dev/sideb/sandbox/worker"
)

func TestMain(m *testing.M) {
	worker.MainIfAsked()
	os.Exit(m.Run())
}

// program links an entry with the modules of this package and loads it.
func program(t *testing.T, entry string, files map[string]string) func(fn string, args ...any) json.RawMessage {
	t.Helper()
	ctx := context.Background()
	p, err := worker.StartProject(ctx, worker.Options{VMs: 1})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = p.Close() })
	built, err := p.Build(ctx, worker.BuildRequest{Entry: entry, ResolveDir: "/project", Virtual: lib.Modules(), FS: files})
	if err != nil {
		t.Fatal(err)
	}
	for _, d := range built.Diagnostics {
		t.Errorf("%s:%d:%d: %s", d.File, d.Line, d.Column, d.Message)
	}
	if err := p.Load(ctx, "test", built.Code); err != nil {
		t.Fatal(err)
	}
	return func(fn string, args ...any) json.RawMessage {
		t.Helper()
		if args == nil {
			args = []any{}
		}
		text, err := json.Marshal(args)
		if err != nil {
			t.Fatal(err)
		}
		out, err := p.Call(ctx, "test", "", fn, text, nil)
		if err != nil {
			t.Fatalf("%s: %v", fn, err)
		}
		return out
	}
}

// zodCase is a line of testdata/zod.jsonl: what zod v4 answers, either to an
// input (none is undefined) or as the JSON schema.
type zodCase struct {
	Schema string          `json:"schema"`
	Input  json.RawMessage `json:"input"`
	Data   json.RawMessage `json:"data"`
	Issues json.RawMessage `json:"issues"`
	IO     string          `json:"io"`
	JSON   json.RawMessage `json:"json"`
}

func readCases(t *testing.T) []zodCase {
	t.Helper()
	f, err := os.Open(filepath.Join("testdata", "zod.jsonl"))
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	var out []zodCase
	for lines := bufio.NewScanner(f); lines.Scan(); {
		var c zodCase
		if err := json.Unmarshal(lines.Bytes(), &c); err != nil {
			t.Fatalf("%s: %v", lines.Text(), err)
		}
		out = append(out, c)
	}
	return out
}

const zodEntry = `
export async function parse(i, input) {
  const result = await schemas[i]().safeParseAsync(input.length ? input[0] : undefined);
  if (result.success) return { data: result.data };
  return { issues: result.error.issues.map(({ code, path, message }) => ({ code, path, message })) };
}
export function jsonSchema(i, io) {
  const { $schema, ...json } = z.toJSONSchema(schemas[i](), io ? { io } : undefined);
  return json;
}
`

func TestZodAnswersAsZodV4(t *testing.T) {
	cases := readCases(t)
	entry := strings.Builder{}
	entry.WriteString("import { z } from \"zod\";\nconst schemas = [\n")
	for _, c := range cases {
		entry.WriteString("() => " + c.Schema + ",\n")
	}
	entry.WriteString("];" + zodEntry)
	call := program(t, entry.String(), nil)
	for i, c := range cases {
		if c.JSON != nil {
			sameJSON(t, c.Schema+" "+c.IO+": JSON schema", c.JSON, call("jsonSchema", i, c.IO))
			continue
		}
		input := []json.RawMessage{}
		if c.Input != nil {
			input = append(input, c.Input)
		}
		want := map[string]json.RawMessage{}
		if c.Issues != nil {
			want["issues"] = c.Issues
		} else if c.Data != nil {
			want["data"] = c.Data
		}
		text, _ := json.Marshal(want)
		sameJSON(t, c.Schema+" of "+string(c.Input), text, call("parse", i, input))
	}
}

func sameJSON(t *testing.T, what string, want, got json.RawMessage) {
	t.Helper()
	var w, g any
	if err := json.Unmarshal(want, &w); err != nil {
		t.Fatalf("%s: %v", what, err)
	}
	if err := json.Unmarshal(got, &g); err != nil {
		t.Errorf("%s: %v in %q", what, err, got)
		return
	}
	if !reflect.DeepEqual(w, g) {
		t.Errorf("%s\n got %s\nwant %s", what, got, want)
	}
}

func TestEveryModuleLinksAndExportsItsNames(t *testing.T) {
	exports := map[string]string{
		"zod":                          "z default object string toJSONSchema ZodError",
		"zod/v4":                       "z default object",
		"@standardagents/spec":         "defineAgent definePrompt defineModel defineTool defineHook defineEffect defineThreadEndpoint defineController defineProvider ProviderError mapReasoningLevel isPacked belongsToPackage isVisibleInNamespace",
		"@standardagents/builder":      "defineAgent ProviderError queueTool injectMessage getMessages reloadHistory emitThreadEvent forceTurn updateThread writeFile writeImage linkFile readFile stat exists unlink mkdir readdir rmdir move rename getFileStats getThumbnail cat head tail grep find",
		"@standardagents/builder/test": "TestScript TestProvider createTestProvider test",
	}
	for _, name := range lib.Providers() {
		exports["@standardagents/"+name] = name + " default"
	}
	entry := strings.Builder{}
	want := map[string]bool{}
	n := 0
	entry.WriteString("const all = {};\n")
	imports := strings.Builder{}
	for specifier, names := range exports {
		n++
		alias := "m" + string(rune('a'+n))
		imports.WriteString("import * as " + alias + " from \"" + specifier + "\";\n")
		for _, name := range strings.Fields(names) {
			entry.WriteString("all[\"" + specifier + " " + name + "\"] = " + alias + "[\"" + name + "\"] !== undefined;\n")
			want[specifier+" "+name] = true
		}
	}
	entry.WriteString("export const list = () => all;\n")
	text, _ := json.Marshal(want)
	sameJSON(t, "exports", text, program(t, imports.String()+entry.String(), nil)("list"))
}

func TestModulesAreSharedWhateverTheirSpecifier(t *testing.T) {
	call := program(t, `
import { z } from "zod"; import z4 from "zod/v4"; import * as star from "zod";
import { ProviderError as a } from "@standardagents/spec"; import { ProviderError as b } from "@standardagents/builder";
export const same = () => [z === z4, star.object === z.object, a === b];`, nil)
	sameJSON(t, "identity", json.RawMessage(`[true,true,true]`), call("same"))
}
