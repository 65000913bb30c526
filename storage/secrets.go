package storage

import (
	"crypto/rand"
	"encoding/base64"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"sync"
	"time"

	"github.com/sideb-dev/sideb/engine"
	"github.com/zalando/go-keyring"
	"golang.org/x/crypto/chacha20poly1305"
)

const keyringService = "sideb"

// keyringPatience is how long a keyring may take to answer: one that asks the
// person for a password, or a bus that isn't there, must not hang the program.
const keyringPatience = 2 * time.Second

// secrets seals and opens secret values. Its key is made when the first secret is
// set, in the system's keyring or, where there is none, in a file that only the
// user may read. A key file that is there wins: it says where the key is without
// asking a keyring.
type secrets struct {
	dir, user string
	fileOnly  bool

	mu  sync.Mutex
	key []byte
}

func newSecrets(dir, runtime string, fileOnly bool) *secrets {
	return &secrets{dir: dir, user: runtime, fileOnly: fileOnly}
}

// seal encrypts value under label, which must be given again to open it.
func (s *secrets) seal(label, value string) ([]byte, error) {
	key, err := s.load(true)
	if err != nil {
		return nil, err
	}
	aead, err := chacha20poly1305.NewX(key)
	if err != nil {
		return nil, err
	}
	nonce := make([]byte, aead.NonceSize(), aead.NonceSize()+len(value)+aead.Overhead())
	if _, err := rand.Read(nonce); err != nil {
		return nil, err
	}
	return aead.Seal(nonce, nonce, []byte(value), []byte(label)), nil
}

func (s *secrets) open(label string, sealed []byte) (string, error) {
	const op = "read secret"
	key, err := s.load(false)
	if err != nil {
		return "", err
	}
	aead, err := chacha20poly1305.NewX(key)
	if err != nil {
		return "", err
	}
	if len(sealed) < aead.NonceSize() {
		return "", engine.Errorf(engine.CodeCorrupt, op, "a stored secret is too short: set it again")
	}
	n := aead.NonceSize()
	plain, err := aead.Open(nil, sealed[:n], sealed[n:], []byte(label))
	if err != nil {
		return "", engine.Errorf(engine.CodeCorrupt, op,
			"a stored secret doesn't open with the key at hand: the key in the keyring or in %s isn't the one it was set with; set the secret again", keyPath(s.dir))
	}
	return string(plain), nil
}

// load returns the key, and with create makes it where there is none.
func (s *secrets) load(create bool) ([]byte, error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.key != nil {
		return s.key, nil
	}
	key, err := s.fromFile()
	if key == nil && err == nil && !s.fileOnly {
		key, err = s.fromKeyring()
	}
	if key == nil && err == nil && create {
		key, err = s.create()
	}
	if err != nil {
		return nil, err
	}
	if key == nil {
		return nil, engine.Errorf(engine.CodeInvalid, "read secret",
			"the key of the stored secrets is missing: it is neither in the system's keyring (service %q, user %q) nor in %s; restore it, or set the secrets again",
			keyringService, s.user, keyPath(s.dir))
	}
	s.key = key
	return key, nil
}

func (s *secrets) fromFile() ([]byte, error) {
	b, err := os.ReadFile(keyPath(s.dir))
	if errors.Is(err, fs.ErrNotExist) {
		return nil, nil
	}
	if err != nil {
		return nil, engine.Errorf(engine.CodeInvalid, "read secret", "the key file can't be read: %w", err)
	}
	return decodeKey(string(b), keyPath(s.dir))
}

func decodeKey(text, where string) ([]byte, error) {
	key, err := base64.RawStdEncoding.DecodeString(text)
	if err != nil || len(key) != chacha20poly1305.KeySize {
		return nil, engine.Errorf(engine.CodeCorrupt, "read secret", "the key of the stored secrets in %s is damaged: restore it, or remove it and set the secrets again", where)
	}
	return key, nil
}

// fromKeyring returns nil where the keyring has no key or can't be asked.
func (s *secrets) fromKeyring() ([]byte, error) {
	text, err := patiently(func() (string, error) { return keyring.Get(keyringService, s.user) })
	if err != nil {
		return nil, nil //nolint:nilerr // load says that the key is missing, and where it looked
	}
	return decodeKey(text, "the system's keyring")
}

// create makes a key. Two processes that make one at the same time end up with
// the same: the file is linked into place, and the first one wins.
func (s *secrets) create() ([]byte, error) {
	key := make([]byte, chacha20poly1305.KeySize)
	if _, err := rand.Read(key); err != nil {
		return nil, err
	}
	text := base64.RawStdEncoding.EncodeToString(key)
	if !s.fileOnly {
		if _, err := patiently(func() (string, error) { return "", keyring.Set(keyringService, s.user, text) }); err == nil {
			return s.fromKeyring()
		}
	}
	if err := writeOnce(keyPath(s.dir), []byte(text)); err != nil {
		return nil, engine.Errorf(engine.CodeInvalid, "set secret", "the key file can't be written: %w", err)
	}
	return s.fromFile()
}

// patiently gives f some time. A keyring that answers later is no longer heard.
func patiently(f func() (string, error)) (string, error) {
	type answer struct {
		text string
		err  error
	}
	ch := make(chan answer, 1)
	go func() {
		text, err := f()
		ch <- answer{text, err}
	}()
	timer := time.NewTimer(keyringPatience)
	defer timer.Stop()
	select {
	case a := <-ch:
		return a.text, a.err
	case <-timer.C:
		return "", errors.New("the keyring doesn't answer")
	}
}

// writeOnce makes a durable file (0600) with data, unless there is one.
func writeOnce(path string, data []byte) error {
	f, err := os.CreateTemp(filepath.Dir(path), ".key-*") // 0600
	if err != nil {
		return err
	}
	defer os.Remove(f.Name()) //nolint:errcheck // only a name beside the linked one
	_, err = f.Write(data)
	if err := errors.Join(err, f.Sync(), f.Close()); err != nil {
		return fmt.Errorf("write key: %w", err)
	}
	if err := os.Link(f.Name(), path); err != nil && !errors.Is(err, fs.ErrExist) {
		return os.Rename(f.Name(), path) // a file system without links
	}
	return nil
}
