package worker

import (
	"bufio"
	"encoding/binary"
	"errors"
	"fmt"
	"io"
	"sync"
)

// A frame is u32 length of what follows, u8 kind, u64 id, body; little endian.
// The id is that of the operation that it belongs to.
type frame struct {
	kind kind
	id   uint64
	body []byte
}

type kind uint8

const (
	kindInit   kind = iota + 1 // to the worker: JSON of settings
	kindBuild                  // JSON of js.LinkRequest
	kindLoad                   // program, code
	kindUnload                 // program
	kindCall                   // program, affinity, fn, args
	kindAbort                  // reason
	kindReply                  // answer to a host call: VM's id of it, JSON text
	kindRefuse                 // answer to a host call: VM's id of it, JSON of js.Thrown

	kindReady  // from the worker: it serves
	kindResult // an operation's value
	kindThrown // an operation's JSON of js.Thrown
	kindHost   // a host call: VM's id of it, method, args
	kindSend   // method, args
	kindStall  // JSON of stallReport

	// Of sandbox workers; see also init, reply, refuse, ready, result, thrown and host.
	kindRun    // to the worker: JSON of SandboxRun, args, globals, imports
	kindInvoke // u64 function, args

	kindLog     // from the worker: level, args, u64 milliseconds since 1970
	kindReport  // value
	kindSettled // JSON of SandboxResult, value
	kindIdle    // one byte: 1 when the worker may serve again
)

const (
	frameHead = 4 + 1 + 8
	maxFrame  = 1 << 30 // a longer one means that the stream is broken
)

var errFrame = errors.New("a frame is malformed")

// fields appends parts, each after its length, so that split can take them apart.
func fields(parts ...string) []byte {
	n := 0
	for _, p := range parts {
		n += 4 + len(p)
	}
	b := make([]byte, 0, n)
	for _, p := range parts {
		b = binary.LittleEndian.AppendUint32(b, uint32(len(p)))
		b = append(b, p...)
	}
	return b
}

// split takes n fields from b.
func split(b []byte, n int) ([]string, error) {
	list := make([]string, n)
	for i := range list {
		if len(b) < 4 {
			return nil, errFrame
		}
		size := int(binary.LittleEndian.Uint32(b))
		if b = b[4:]; size > len(b) {
			return nil, errFrame
		}
		list[i], b = string(b[:size]), b[size:]
	}
	return list, nil
}

// frameWriter writes frames from any goroutine. Who finds nobody writing writes
// for all that have queued meanwhile: one system call for many frames.
type frameWriter struct {
	mu      sync.Mutex
	out     io.Writer
	queue   []byte
	spare   []byte
	writing bool
	err     error
}

// write queues a frame and returns when it, or the writer before it, has been
// given to the pipe.
func (w *frameWriter) write(f frame) error {
	if len(f.body) > maxFrame-frameHead {
		return fmt.Errorf("a message of %d bytes is too long", len(f.body))
	}
	w.mu.Lock()
	defer w.mu.Unlock()
	if w.err != nil {
		return w.err
	}
	w.queue = binary.LittleEndian.AppendUint32(w.queue, uint32(len(f.body)+9))
	w.queue = append(w.queue, byte(f.kind))
	w.queue = binary.LittleEndian.AppendUint64(w.queue, f.id)
	w.queue = append(w.queue, f.body...)
	if w.writing {
		return nil
	}
	w.writing = true
	for len(w.queue) > 0 && w.err == nil {
		batch := w.queue
		w.queue = w.spare[:0]
		w.mu.Unlock()
		_, err := w.out.Write(batch)
		w.mu.Lock()
		w.err = err
		if w.spare = nil; cap(batch) <= 1<<20 {
			w.spare = batch
		}
	}
	w.writing = false
	return w.err
}

// readFrames gives every frame to handle until the stream ends or is broken.
// handle must not block: the other side may wait for us to read.
func readFrames(in io.Reader, handle func(frame) error) error {
	return readFramesUpTo(in, maxFrame, handle)
}

func readFramesUpTo(in io.Reader, most int, handle func(frame) error) error {
	r := bufio.NewReaderSize(in, 64<<10)
	var head [frameHead]byte
	for {
		if _, err := io.ReadFull(r, head[:]); err != nil {
			return err
		}
		size := int(binary.LittleEndian.Uint32(head[:4])) - 9
		if size < 0 || size > most {
			return errFrame
		}
		f := frame{kind: kind(head[4]), id: binary.LittleEndian.Uint64(head[5:]), body: make([]byte, size)}
		if _, err := io.ReadFull(r, f.body); err != nil {
			return err
		}
		if err := handle(f); err != nil {
			return err
		}
	}
}
