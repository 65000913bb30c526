package cmd

import (
	"maps"
	"slices"
	"strings"

	"github.com/sideb-dev/sideb/engine"
)

// chooseAgent reads [AGENT] [MESSAGE] of a run that starts a thread.
func chooseAgent(defs *engine.Definitions, args []string) (agent, message string, err error) {
	switch {
	case len(args) == 2:
		agent, message = args[0], args[1]
	case len(args) == 1 && defs.Agents[args[0]] == nil:
		agent, message = onlyAgent(defs), args[0]
	default:
		return "", "", usagef("what should %s be told? Give a MESSAGE, or - to read it from stdin", args[0])
	}
	switch {
	case agent == "":
		return "", "", usagef("which agent? %s", knownAgents(defs))
	case defs.Agents[agent] == nil:
		return "", "", usagef("there is no agent %q; %s", agent, knownAgents(defs))
	}
	return agent, message, nil
}

// tourAgent is what the built-in project opens on.
const tourAgent = "tour"

// onlyAgent is the agent that needs no naming, "" where there are several.
func onlyAgent(defs *engine.Definitions) string {
	if defs.Dir == "" && defs.Agents[tourAgent] != nil {
		return tourAgent
	}
	if len(defs.Agents) == 1 {
		for name := range defs.Agents {
			return name
		}
	}
	return ""
}

func knownAgents(defs *engine.Definitions) string {
	where := projectName(defs.Dir)
	if len(defs.Agents) == 0 {
		return where + " defines none; `sideb check` says what is wrong with it"
	}
	return where + " has: " + strings.Join(slices.Sorted(maps.Keys(defs.Agents)), ", ")
}
