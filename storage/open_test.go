package storage_test

import (
	"bytes"
	"crypto/rand"
	"errors"
	"os"
	"path/filepath"
	"runtime"
	"strings"
	"testing"

	"github.com/sideb-dev/sideb/engine"
	"github.com/sideb-dev/sideb/storage"
	"github.com/zalando/go-keyring"
)

func TestOpenSaysWhatIsWrong(t *testing.T) {
	for name, c := range map[string]struct {
		spoil func(t *testing.T, dir string)
		code  engine.Code
		says  string
	}{
		"not a database": {func(t *testing.T, dir string) {
			write(t, filepath.Join(dir, "sideb.db"), bytes.Repeat([]byte("not a database\n"), 1000))
		}, engine.CodeCorrupt, "damaged"},
		"newer schema": {func(t *testing.T, dir string) {
			s := open(t, dir)
			if err := s.Close(); err != nil {
				t.Fatal(err)
			}
			f, err := os.OpenFile(filepath.Join(dir, "sideb.db"), os.O_RDWR, 0)
			if err != nil {
				t.Fatal(err)
			}
			// The header's user_version, big-endian.
			if _, err := f.WriteAt([]byte{0, 0, 0xff, 0xff}, 60); err != nil {
				t.Fatal(err)
			}
			if err := f.Close(); err != nil {
				t.Fatal(err)
			}
		}, engine.CodeInvalid, "newer sideb"},
		"a file in the way": {func(t *testing.T, dir string) {
			write(t, filepath.Join(dir, "hosts"), nil)
		}, engine.CodeInvalid, "--data-dir"},
		"the database is a directory": {func(t *testing.T, dir string) {
			if err := os.Mkdir(filepath.Join(dir, "sideb.db"), 0o700); err != nil {
				t.Fatal(err)
			}
		}, engine.CodeInvalid, "can't be opened"},
	} {
		t.Run(name, func(t *testing.T) {
			dir := t.TempDir()
			c.spoil(t, dir)
			_, err := storage.Open(t.Context(), storage.Options{Dir: dir, NewID: rand.Text})
			if engine.CodeOf(err) != c.code || !strings.Contains(err.Error(), c.says) {
				t.Errorf("error %v, want %s and %q", err, c.code, c.says)
			}
		})
	}
}

func write(t *testing.T, path string, data []byte) {
	t.Helper()
	if err := os.WriteFile(path, data, 0o600); err != nil {
		t.Fatal(err)
	}
}

func TestDirectoryIsTheUsersAlone(t *testing.T) {
	if runtime.GOOS == "windows" {
		t.Skip("modes say nothing there")
	}
	dir := filepath.Join(t.TempDir(), "a", "b")
	s := open(t, dir)
	setSecret(t, s)
	for path, want := range map[string]os.FileMode{"": 0o700, "key": 0o600} {
		info, err := os.Stat(filepath.Join(dir, path))
		if err != nil {
			t.Fatal(err)
		}
		if info.Mode().Perm() != want {
			t.Errorf("%s has mode %o, want %o", info.Name(), info.Mode().Perm(), want)
		}
	}
}

func setSecret(t *testing.T, s *storage.Store) {
	t.Helper()
	_, err := s.Commit(t.Context(), &engine.Commit{Env: []engine.EnvValue{
		{Scope: engine.EnvUser, Name: "KEY", Value: "swordfish", Type: engine.VariableSecret},
	}})
	if err != nil {
		t.Fatal(err)
	}
}

func wantSecret(t *testing.T, s *storage.Store) {
	t.Helper()
	values, err := s.Env(t.Context(), engine.EnvUser, "")
	if err != nil || len(values) != 1 || values[0].Value != "swordfish" {
		t.Fatalf("values %v, %v", values, err)
	}
}

func TestMissingKeyIsNamed(t *testing.T) {
	dir := t.TempDir()
	s := open(t, dir)
	setSecret(t, s)
	if err := s.Close(); err != nil {
		t.Fatal(err)
	}
	if err := os.Remove(filepath.Join(dir, "key")); err != nil {
		t.Fatal(err)
	}
	_, err := open(t, dir).Env(t.Context(), engine.EnvUser, "")
	if engine.CodeOf(err) != engine.CodeInvalid || !strings.Contains(err.Error(), filepath.Join(dir, "key")) {
		t.Errorf("error %v doesn't name the key file", err)
	}
}

// TestKeyring replaces the system's keyring for the whole process, so it is no
// parallel test.
func TestKeyring(t *testing.T) {
	keyed := func(dir string) *storage.Store {
		s, err := storage.Open(t.Context(), storage.Options{Dir: dir, NewID: rand.Text, Logf: t.Logf})
		if err != nil {
			t.Fatal(err)
		}
		t.Cleanup(func() { _ = s.Close() }) // once more where the test closed it
		return s
	}
	keyring.MockInit()
	dir := t.TempDir()
	s := keyed(dir)
	setSecret(t, s)
	wantSecret(t, s)
	if _, err := os.Stat(filepath.Join(dir, "key")); err == nil {
		t.Error("the key is in a file although there is a keyring")
	}
	if err := s.Close(); err != nil {
		t.Fatal(err)
	}
	wantSecret(t, keyed(dir))

	keyring.MockInitWithError(errors.New("no keyring here"))
	dir = t.TempDir()
	s = keyed(dir)
	setSecret(t, s)
	wantSecret(t, s)
	if _, err := os.Stat(filepath.Join(dir, "key")); err != nil {
		t.Errorf("no key file without a keyring: %v", err)
	}
}
