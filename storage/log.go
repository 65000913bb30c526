package storage

import "os"

const (
	// logStep is the least that the log grows by, and logFull the size that it is
	// grown to at most: what a commit past walPages may still need included.
	logStep = 256 << 10
	logFull = (walPages + walPages/4) * (4096 + 24)
)

// logFile grows SQLite's write-ahead log before SQLite needs the space. A sync
// after an append has to write the file's new size and blocks too and takes twice
// as long as one after an overwrite. Zeros behind the last frame mean nothing to
// SQLite: it reads the log up to the first frame that isn't of its last round.
type logFile struct {
	f    *os.File // nil where it can't be opened: the log then grows by itself
	size int64    // while the file has this size, commits don't append
}

func openLog(path string) *logFile {
	f, err := os.OpenFile(path, os.O_WRONLY, 0)
	if err != nil {
		return &logFile{}
	}
	l := &logFile{f: f}
	if st, err := f.Stat(); err == nil {
		l.size = st.Size()
	}
	return l
}

// grow is called under the write lock, between transactions: nobody else writes
// the log. It grows by as much as there is, so that a process with a few commits
// writes few zeros. A failure is SQLite's to tell, when it appends itself.
func (l *logFile) grow() {
	if l.f == nil {
		return
	}
	st, err := l.f.Stat()
	if err != nil || st.Size() == l.size {
		return
	}
	l.size = st.Size()
	end := min(l.size+max(l.size, logStep), logFull)
	zeros := make([]byte, 64<<10)
	for l.size < end {
		n, err := l.f.WriteAt(zeros[:min(int64(len(zeros)), end-l.size)], l.size)
		l.size += int64(n)
		if err != nil {
			return
		}
	}
}

func (l *logFile) close() error {
	if l.f == nil {
		return nil
	}
	return l.f.Close()
}
