package engine

import (
	"context"
	"fmt"
	"maps"
	"slices"
	"strconv"
	"strings"
)

// registry lists the thread's children that can be talked to or still run.
func (x *execution) registry(ctx context.Context) []Child {
	children, err := x.e.c.Store.Children(ctx, x.snap.thread.ID)
	if err != nil {
		x.e.c.Logf("read child registry: %v", err)
		return nil
	}
	return slices.DeleteFunc(children, func(c Child) bool { return c.Status == childTerminated })
}

// registryText is the request-only system message that lists the children
// (agents §7.11); "" where there are none. reachable says that the model has the
// tool to send them messages.
func registryText(children []Child, reachable bool) string {
	if len(children) == 0 {
		return ""
	}
	var b strings.Builder
	b.WriteString("Active subagent instances:\n")
	for _, c := range children {
		name := c.ThreadName
		if name == "" {
			name = c.Name
		}
		fmt.Fprintf(&b, "- reference: %s, name: %s, agent: %s, status: %s (%s)\n", c.Reference, name, c.Name, c.Status, c.Description)
	}
	if reachable {
		b.WriteString("Use " + toolSubagentMessage + " with a reference to send one of them a message.")
	}
	return strings.TrimSuffix(b.String(), "\n")
}

// takesMessages reports whether a child can be addressed: one that isn't resumable
// has its one input and ends (agents §7.7).
func takesMessages(c Child) bool { return c.Resumable }

// childEnv is what a child gets of the parent thread's variables: what moved names,
// and copies of all others but those that the child's graph declares as scoped, or
// that are on their way to another child (authoring surface §6, §15.7).
func (e *Engine) childEnv(ctx context.Context, parent ThreadID, agent *Agent, moved map[string]string, others transfers) ([]EnvValue, error) {
	values, err := e.env.scope(ctx, e.c.Store, envKey{EnvThread, parent})
	if err != nil || len(values) == 0 {
		return nil, err
	}
	keep := scopedNames(e.c.Project.Definitions(), agent)
	for _, transfer := range others {
		for _, from := range transfer {
			keep[from] = true
		}
	}
	var out []EnvValue
	for _, name := range slices.Sorted(maps.Keys(values)) {
		if v := values[name]; !keep[name] && !keep[groupName(name)] {
			v.ThreadID = "" // the child's, whose id isn't known yet
			out = append(out, v)
		}
	}
	transferred, err := e.transferred(ctx, parent, moved)
	return append(out, transferred...), err
}

// groupName is the name of a numbered variable, NAME of NAME__2.
func groupName(name string) string {
	base, n, ok := strings.Cut(name, "__")
	if _, err := strconv.Atoi(n); !ok || err != nil {
		return name
	}
	return base
}
