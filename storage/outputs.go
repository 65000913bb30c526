package storage

import (
	"context"
	"crypto/sha256"
	"encoding/hex"

	"github.com/sideb-dev/sideb/engine"
)

// outputChunk is how many bytes of an output a row has.
const outputChunk = 256 << 10

// applyOutputs stores outputs by content; one that is there isn't stored again.
func (ch *change) applyOutputs(t *tx, self *threadRow) error {
	for i := range ch.Outputs {
		o := &ch.Outputs[i]
		n, err := t.c.exec(`INSERT INTO outputs (ref, media_type, size) VALUES (?, ?, ?) ON CONFLICT (ref) DO NOTHING`,
			string(o.Ref), o.MediaType, len(o.Data))
		if err != nil {
			return err
		}
		if n == 1 {
			if err := t.putChunks(o); err != nil {
				return err
			}
		}
		if self != nil {
			if err := t.useOutput(self.num, o.Ref); err != nil {
				return err
			}
		}
	}
	return nil
}

func (t *tx) putChunks(o *engine.Output) error {
	for at := 0; at < len(o.Data); at += outputChunk {
		data := o.Data[at:min(at+outputChunk, len(o.Data))]
		_, err := t.c.exec(`INSERT INTO output_chunks (ref, chunk, data) VALUES (?, ?, ?)`, string(o.Ref), at/outputChunk, data)
		if err != nil {
			return err
		}
	}
	return nil
}

func (t *tx) useOutput(thread int64, ref engine.OutputRef) error {
	_, err := t.c.exec(`INSERT INTO output_uses (thread, ref) VALUES (?, ?) ON CONFLICT DO NOTHING`, thread, string(ref))
	return err
}

// checkOutputs fails with CodeInvalid where a reference isn't the address of its
// content: it would answer for other content for good.
func checkOutputs(outputs []engine.Output) error {
	for i := range outputs {
		sum := sha256.Sum256(outputs[i].Data)
		if want := engine.OutputRef("sha256:" + hex.EncodeToString(sum[:])); outputs[i].Ref != want {
			return engine.Errorf(engine.CodeInvalid, "store output", "the reference %q isn't the content's (%s)", outputs[i].Ref, want)
		}
	}
	return nil
}

// Output reads a stored output by reference.
func (s *Store) Output(ctx context.Context, ref engine.OutputRef) (*engine.Output, error) {
	const op = "read output"
	o := &engine.Output{Ref: ref}
	err := s.readTogether(ctx, op, func(c *conn) error {
		found, err := c.one(`SELECT media_type, size FROM outputs WHERE ref = ?`, func(r row) error {
			o.MediaType, o.Data = r.text(0), make([]byte, 0, r.int(1))
			return nil
		}, string(ref))
		if err != nil {
			return err
		}
		if !found {
			return engine.Errorf(engine.CodeNotFound, op, "there is no output %s", ref)
		}
		return c.query(`SELECT data FROM output_chunks WHERE ref = ? ORDER BY chunk`, func(r row) error {
			o.Data = append(o.Data, r.blob(0)...)
			return nil
		}, string(ref))
	})
	if err != nil {
		return nil, err
	}
	return o, nil
}
