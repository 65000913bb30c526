package agents

import (
	"bytes"
	"encoding/json"
	"os"
	"path/filepath"
)

// cacheFormat changes with the layout of the cached file or the meaning of what
// is in it.
const cacheFormat = 2

// A cached project is one file, replaced as a whole, so that a description and
// its program always belong together: a line of JSON, the header, then the
// linked text as it is.
type cacheHeader struct {
	Format int             `json:"format"`
	Dir    string          `json:"dir"`
	Sum    string          `json:"sum"` // of linked and the text
	Linked json.RawMessage `json:"linked"`
}

func (p *Project) cachePath() string {
	return filepath.Join(p.o.CacheDir, "project-"+hashText(p.tree.dir)[:16]+".json")
}

// cached is the snapshot of an unchanged project; nil where the cache has none,
// or one that can't be read.
func (p *Project) cached() *snapshot {
	if p.o.CacheDir == "" {
		return nil
	}
	b, err := os.ReadFile(p.cachePath())
	if err != nil {
		return nil
	}
	head, code, _ := bytes.Cut(b, []byte("\n"))
	var c cacheHeader
	var l linked
	if json.Unmarshal(head, &c) != nil || c.Format != cacheFormat || c.Dir != p.tree.dir ||
		c.Sum != cacheSum(c.Linked, string(code)) || json.Unmarshal(c.Linked, &l) != nil || l.Main > len(code) {
		p.o.Logf("the cached project in %s can't be read or is of another version: it is made again", p.cachePath())
		return nil
	}
	if !p.same(l.Print) {
		return nil
	}
	l.code = string(code)
	return p.build(&l, nil)
}

func cacheSum(linked []byte, code string) string {
	return hashText(hashText(string(linked)) + hashText(code))
}

// writeCache keeps l. A failure costs the next start some time, no more.
func (p *Project) writeCache(l *linked) {
	if p.o.CacheDir == "" || l.code == "" {
		return
	}
	body, err := json.Marshal(l)
	if err == nil {
		c := cacheHeader{Format: cacheFormat, Dir: p.tree.dir, Sum: cacheSum(body, l.code), Linked: body}
		var head []byte
		if head, err = json.Marshal(c); err == nil {
			err = writeFileAtomic(p.cachePath(), append(append(head, '\n'), l.code...))
		}
	}
	if err != nil {
		p.o.Logf("the project could not be cached: %v", err)
	}
}

func writeFileAtomic(path string, data []byte) error {
	if err := os.MkdirAll(filepath.Dir(path), 0o700); err != nil {
		return err
	}
	f, err := os.CreateTemp(filepath.Dir(path), ".project-*") // mode 0600
	if err != nil {
		return err
	}
	_, err = f.Write(data)
	if e := f.Close(); err == nil {
		err = e
	}
	if err == nil {
		err = os.Rename(f.Name(), path)
	}
	if err != nil {
		_ = os.Remove(f.Name()) // best effort: the error above is what counts
	}
	return err
}
