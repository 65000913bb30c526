package agents

import (
	"context"
	"embed"
	"io/fs"
)

//go:embed agents prompts models tools providers
var builtin embed.FS

// builtinDir is the prefix of the built-in project's paths; no such directory
// exists on any disk.
const builtinDir = "/sideb"

// Builtin opens the project that is embedded in this program. o.Dir is ignored.
func Builtin(ctx context.Context, o Options) (*Project, error) {
	o.Dir = ""
	t := tree{fsys: under{builtin}, dir: builtinDir, mem: map[string]string{}, name: "sideb"}
	err := fs.WalkDir(builtin, ".", func(path string, d fs.DirEntry, err error) error {
		if err != nil || d.IsDir() {
			return err
		}
		text, err := builtin.ReadFile(path)
		t.mem[builtinDir+"/agents/"+path] = string(text)
		return err
	})
	if err != nil {
		return nil, err
	}
	return open(ctx, o, t)
}

// under shows a file system below agents/, where projects have it.
type under struct{ fsys fs.FS }

// Open implements fs.FS.
func (u under) Open(name string) (fs.File, error) {
	if inner, ok := cutAgents(name); ok {
		return u.fsys.Open(inner)
	}
	return nil, &fs.PathError{Op: "open", Path: name, Err: fs.ErrNotExist}
}

func cutAgents(name string) (string, bool) {
	const prefix = "agents"
	switch {
	case name == prefix:
		return ".", true
	case len(name) > len(prefix) && name[:len(prefix)+1] == prefix+"/":
		return name[len(prefix)+1:], true
	default:
		return "", false
	}
}
