package storage

import (
	"context"
	"database/sql/driver"
	"errors"
	"fmt"
	"io"
	"net/url"
	"path/filepath"

	"modernc.org/sqlite"
)

// conn is one connection with the statements that it has prepared. It goes
// through the driver itself: database/sql's pool, its locks and its goroutine a
// query cost more than most of the statements here. A conn is for one goroutine
// at a time.
type conn struct {
	c     driver.Conn
	stmts map[string]statement
	args  []driver.NamedValue
}

type statement interface {
	driver.Stmt
	driver.StmtExecContext
	driver.StmtQueryContext
}

// walPages is how many pages the log may have before a commit moves them into the
// database. Every move flushes twice; a longer log costs more to replay after a
// crash.
const walPages = 2000

func openConn(path string, readOnly bool) (*conn, error) {
	q := url.Values{}
	q.Set("_busy_timeout", "10000")
	q.Set("_txlock", "immediate")
	q.Set("_error_rc", "1")
	pragmas := []string{"foreign_keys(1)", "journal_mode(WAL)", "synchronous(FULL)",
		fmt.Sprintf("wal_autocheckpoint(%d)", walPages), "cache_size(-16000)", "temp_store(MEMORY)"}
	if readOnly {
		pragmas = []string{"query_only(1)", "cache_size(-4000)"}
	}
	q["_pragma"] = pragmas
	path = filepath.ToSlash(path)
	if filepath.VolumeName(path) != "" {
		path = "/" + path // file:///C:/…
	}
	u := url.URL{Scheme: "file", Path: path, RawQuery: q.Encode()}
	c, err := new(sqlite.Driver).Open(u.String())
	if err != nil {
		return nil, err
	}
	return &conn{c: c, stmts: map[string]statement{}}, nil
}

func (c *conn) close() error {
	var errs []error
	for _, s := range c.stmts {
		errs = append(errs, s.Close())
	}
	return errors.Join(append(errs, c.c.Close())...)
}

func (c *conn) prepare(query string) (statement, error) {
	if s, ok := c.stmts[query]; ok {
		return s, nil
	}
	d, err := c.c.Prepare(query)
	if err != nil {
		return nil, err
	}
	s, ok := d.(statement)
	if !ok {
		return nil, errors.New("the driver's statements take no context")
	}
	c.stmts[query] = s
	return s, nil
}

// bind puts the arguments into the connection's own list, which lasts until the
// next statement.
func (c *conn) bind(args []any) []driver.NamedValue {
	c.args = c.args[:0]
	for i, a := range args {
		switch x := a.(type) {
		case int:
			a = int64(x)
		case bool:
			a = int64(0)
			if x {
				a = int64(1)
			}
		}
		c.args = append(c.args, driver.NamedValue{Ordinal: i + 1, Value: a})
	}
	return c.args
}

// exec runs a statement that gives no rows and returns how many it changed.
// Arguments are nil, string, []byte, bool, int or int64.
func (c *conn) exec(query string, args ...any) (int64, error) {
	s, err := c.prepare(query)
	if err != nil {
		return 0, err
	}
	r, err := s.ExecContext(context.Background(), c.bind(args))
	if err != nil {
		return 0, err
	}
	return r.RowsAffected()
}

// insert is exec that returns the new row's number.
func (c *conn) insert(query string, args ...any) (int64, error) {
	s, err := c.prepare(query)
	if err != nil {
		return 0, err
	}
	r, err := s.ExecContext(context.Background(), c.bind(args))
	if err != nil {
		return 0, err
	}
	return r.LastInsertId()
}

// query calls each for every row, until it fails. The row is valid during the
// call; each may not use the connection.
func (c *conn) query(query string, each func(r row) error, args ...any) error {
	s, err := c.prepare(query)
	if err != nil {
		return err
	}
	rows, err := s.QueryContext(context.Background(), c.bind(args))
	if err != nil {
		return err
	}
	dest := make(row, len(rows.Columns()))
	for {
		if err = rows.Next(dest); err != nil {
			break
		}
		if err = each(dest); err != nil {
			break
		}
	}
	if errors.Is(err, io.EOF) {
		err = nil
	}
	return errors.Join(err, rows.Close())
}

// one is query for at most one row; it reports whether there was one.
func (c *conn) one(query string, scan func(r row) error, args ...any) (bool, error) {
	found := false
	err := c.query(query, func(r row) error {
		found = true
		return scan(r)
	}, args...)
	return found, err
}

// integer reads one number, 0 where there is no row.
func (c *conn) integer(query string, args ...any) (n int64, err error) {
	_, err = c.one(query, func(r row) error { n = r.int(0); return nil }, args...)
	return n, err
}

// row is one row of a result. Numbers are int64, text is string, blobs []byte;
// the accessors give the zero value for NULL.
type row []driver.Value

func (r row) int(i int) int64 {
	n, _ := r[i].(int64)
	return n
}

func (r row) text(i int) string {
	switch x := r[i].(type) {
	case string:
		return x
	case []byte:
		return string(x)
	default:
		return ""
	}
}

func (r row) blob(i int) []byte {
	switch x := r[i].(type) {
	case string:
		return []byte(x)
	case []byte:
		return x
	default:
		return nil
	}
}
