package cmd

import (
	"os"
	"path/filepath"
	"runtime"

	"github.com/sideb-dev/sideb/engine"
)

// dataDirectory resolves where everything durable lives, as an absolute path.
func (g *globals) dataDirectory() (string, error) {
	dir := g.dataDir
	if dir == "" {
		dir = g.env("SIDEB_DATA_DIR")
	}
	if dir != "" {
		return filepath.Abs(dir)
	}
	base, err := g.dataHome()
	if err != nil {
		return "", err
	}
	return filepath.Join(base, "sideb"), nil
}

func (g *globals) dataHome() (string, error) {
	// The XDG specification has relative paths ignored.
	if base := g.env("XDG_DATA_HOME"); filepath.IsAbs(base) {
		return base, nil
	}
	if runtime.GOOS == "windows" {
		if base := g.env("LOCALAPPDATA"); base != "" {
			return base, nil
		}
	} else if home := g.env("HOME"); home != "" {
		return filepath.Join(home, ".local", "share"), nil
	}
	return "", engine.Errorf(engine.CodeInvalid, "find the data directory",
		"there is no home directory in the environment; set HOME, XDG_DATA_HOME or SIDEB_DATA_DIR, or pass --data-dir DIR")
}

// projectDirectory is the project of --project, made absolute: "" where the flag
// isn't given.
func (g *globals) projectDirectory() (string, error) {
	if g.project == "" {
		return "", nil
	}
	dir, err := filepath.Abs(g.project)
	if err != nil {
		return "", err
	}
	info, err := os.Stat(filepath.Join(dir, "agents", "agents"))
	if err != nil || !info.IsDir() {
		return "", engine.Errorf(engine.CodeInvalid, "open project",
			"%s has no agents/agents directory; `sideb init %s` writes a small working project", g.project, g.project)
	}
	return dir, nil
}
