// Package template holds the project that `sideb init` writes: small, working
// without a key, and commented for somebody who sees such a project for the
// first time.
package template

import (
	"embed"
	"io/fs"
)

//go:embed README.md .gitignore package.json tsconfig.json standardagents.d.ts agents
var files embed.FS

// Project is the file tree to write.
func Project() fs.FS { return files }
