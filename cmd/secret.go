package cmd

import (
	"context"
	"fmt"
	"io"
	"os"
	"unicode/utf8"

	"github.com/charmbracelet/x/term"
)

// readSecret asks at the terminal and reads a line without showing it. Echo is
// off before the prompt appears, so that nothing typed early is shown either.
func readSecret(prompt string, to io.Writer) (string, error) {
	fd := os.Stdin.Fd()
	state, err := term.MakeRaw(fd)
	if err != nil {
		return "", err
	}
	defer term.Restore(fd, state) //nolint:errcheck // there is nothing else to try
	fmt.Fprint(to, prompt)
	line, err := readRawLine(os.Stdin)
	fmt.Fprint(to, "\r\n")
	return line, err
}

// readRawLine reads a line as a terminal in raw mode sends it.
func readRawLine(in io.Reader) (string, error) {
	const (
		interrupt = 0x03
		endOfText = 0x04
		backspace = 0x08
		killLine  = 0x15
		del       = 0x7f
	)
	var line []byte
	key := make([]byte, 1)
	for {
		if _, err := io.ReadFull(in, key); err != nil {
			return "", err
		}
		switch key[0] {
		case '\r', '\n', endOfText:
			return string(line), nil
		case interrupt:
			return "", context.Canceled
		case backspace, del:
			_, size := utf8.DecodeLastRune(line)
			line = line[:len(line)-size]
		case killLine:
			line = line[:0]
		default:
			line = append(line, key[0])
		}
	}
}
