package agents

import "testing"

func TestFindPlaces(t *testing.T) {
	src := written(`// prompt: 'comment'
import { defineAgent } from '@standardagents/spec';
const re = /it's/;
export default defineAgent({
  name: "ä", /* sideB: {} */
  sideA: { prompt: 'one', stopTool: "x" },
  sideB: { prompt: 'one' , "max-steps": 3 },
  tools, hooks: ['h1',
    'h2'],
  text: ` + "`a\n${prompt}`" + `,
  maxSessionTurns: 4,
});
`)
	for name, c := range map[string]struct {
		path  []string
		value string
		want  place
	}{
		"property":             {[]string{"name"}, "", place{5, 3}},
		"value":                {[]string{"sideA", "prompt"}, "one", place{6, 20}},
		"nested second":        {[]string{"sideB", "prompt"}, "one", place{7, 20}},
		"quoted key":           {[]string{"sideB", "max-steps"}, "", place{7, 28}},
		"shorthand":            {[]string{"tools"}, "", place{8, 3}},
		"list item":            {[]string{"hooks"}, "h2", place{9, 5}},
		"after multi-line":     {[]string{"maxSessionTurns"}, "", place{12, 3}},
		"value that isn't":     {[]string{"sideA", "stopTool"}, "other", place{6, 27}},
		"unknown falls back":   {[]string{"nope"}, "", place{4, 1}},
		"partial path":         {[]string{"sideB", "nope"}, "", place{7, 3}},
		"comments aren't read": {nil, "comment", place{4, 1}},
	} {
		t.Run(name, func(t *testing.T) {
			if got := src.find(c.path, c.value); got != c.want {
				t.Errorf("find(%v, %q) = %v, want %v", c.path, c.value, got, c.want)
			}
		})
	}
	if got := (*text)(nil).find([]string{"x"}, ""); got != (place{}) {
		t.Errorf("no text: %v", got)
	}
}
