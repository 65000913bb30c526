package cmd

import (
	"fmt"
	"os"
	"time"

	"github.com/sideb-dev/sideb/engine"
)

type logFunc = func(format string, args ...any)

// logFile takes diagnostics; the zero value throws them away.
type logFile struct{ f *os.File }

func openLog(path string) (*logFile, error) {
	if path == "" {
		return &logFile{}, nil
	}
	f, err := os.OpenFile(path, os.O_CREATE|os.O_APPEND|os.O_WRONLY, 0o600)
	if err != nil {
		return nil, engine.Errorf(engine.CodeInvalid, "open log file", "%w", err)
	}
	return &logFile{f: f}, nil
}

// printf appends one line in one write, so that several processes may share the
// file.
func (l *logFile) printf(format string, args ...any) {
	if l.f == nil {
		return
	}
	line := time.Now().UTC().Format("2006-01-02T15:04:05.000Z ") + fmt.Sprintf(format, args...) + "\n"
	_, _ = l.f.WriteString(line)
}

func (l *logFile) close() {
	if l.f != nil {
		_ = l.f.Close()
	}
}
