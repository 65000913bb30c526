package engine

import "testing"

func TestSecretsAreRedacted(t *testing.T) {
	var s secrets
	for _, v := range []string{"abc", "sk-12345", "sk-1234567"} {
		s.add(v)
	}
	got := s.redact("abc uses sk-1234567, not sk-12345.")
	if want := "abc uses [secret], not [secret]."; got != want {
		t.Errorf("got %q, want %q", got, want)
	}
}
