package jail

import (
	"os"
	"strings"
)

// Measure is one kind of confinement.
type Measure struct {
	Enforced bool   `json:"enforced"`
	By       string `json:"by,omitempty"`   // what enforces it
	Note     string `json:"note,omitempty"` // what is missing
}

// Report says what the system enforces for a process.
type Report struct {
	Platform    string  `json:"platform"` // GOOS/GOARCH
	Environment Measure `json:"environment"`
	Filesystem  Measure `json:"filesystem"`
	Network     Measure `json:"network"`
	Memory      Measure `json:"memory"`
	Processes   Measure `json:"processes"` // ends with its parent, starts none
}

// Measures are the report's lines in order, for people.
func (r Report) Measures() []Named {
	return []Named{{"environment", r.Environment}, {"filesystem", r.Filesystem}, {"network", r.Network},
		{"memory", r.Memory}, {"processes", r.Processes}}
}

// Named is a measure with its name.
type Named struct {
	Name string
	Measure
}

// String is one line such as "filesystem: Landlock ABI 7".
func (n Named) String() string {
	text := n.Name + ": "
	switch {
	case n.Enforced:
		text += n.By
	case n.By != "":
		text += "partly (" + n.By + ")"
	default:
		text += "not enforced"
	}
	if n.Note != "" {
		text += "; " + n.Note
	}
	return text
}

// Lines are the measures as text.
func (r Report) Lines() string {
	var list []string
	for _, m := range r.Measures() {
		list = append(list, m.String())
	}
	return strings.Join(list, "\n")
}

// maxEnviron is how many variables a confined process needs itself.
const maxEnviron = 6

// environment judges what this process was started with.
func environment() Measure {
	if len(os.Environ()) > maxEnviron {
		return Measure{Note: "the parent's environment was inherited"}
	}
	return Measure{Enforced: true, By: "nothing of the parent's"}
}
