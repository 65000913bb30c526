package storage

import (
	"embed"
	"fmt"
	"io/fs"

	"github.com/sideb-dev/sideb/engine"
)

//go:embed migrations/*.sql
var migrationFiles embed.FS

// migrate brings the schema forward, one transaction a step. The caller holds the
// write lock. user_version counts the steps that were taken.
func migrate(c *conn, dir string) error {
	names, err := fs.Glob(migrationFiles, "migrations/*.sql")
	if err != nil {
		return err
	}
	have, err := c.integer("PRAGMA user_version")
	if err != nil {
		return err
	}
	if have > int64(len(names)) {
		return engine.Errorf(engine.CodeInvalid, "open data directory",
			"%s was written by a newer sideb (schema %d, this one knows %d): update sideb, or choose another directory with --data-dir", dir, have, len(names))
	}
	for i := int(have); i < len(names); i++ {
		if err := migrateOne(c, names[i], i+1); err != nil {
			return fmt.Errorf("migrate to %s: %w", names[i], err)
		}
	}
	return nil
}

func migrateOne(c *conn, name string, version int) error {
	text, err := migrationFiles.ReadFile(name)
	if err != nil {
		return err
	}
	script := fmt.Sprintf("BEGIN IMMEDIATE;\n%s\nPRAGMA user_version = %d;\nCOMMIT", text, version)
	if _, err := c.exec(script); err != nil {
		_, _ = c.exec("ROLLBACK") // there may be no transaction left to end
		return err
	}
	return nil
}
