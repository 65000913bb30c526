CREATE TABLE meta (
  key   TEXT PRIMARY KEY,
  value TEXT NOT NULL
) WITHOUT ROWID;

-- What every event changes of a session (its sequence, its time) is read from the
-- last event; the row is written only when something else of it changes.
CREATE TABLE sessions (
  num  INTEGER PRIMARY KEY,
  id   TEXT NOT NULL UNIQUE,
  seq  INTEGER NOT NULL DEFAULT 0, -- at least this is the last sequence
  read TEXT NOT NULL               -- engine.SessionRead
);

-- One row a thread: what changes at every step is together, so that a commit
-- writes one row. Long inputs that never change are in thread_inputs.
CREATE TABLE threads (
  num        INTEGER PRIMARY KEY,
  id         TEXT NOT NULL UNIQUE,
  session    INTEGER NOT NULL REFERENCES sessions(num),
  parent     TEXT NOT NULL,
  agent      TEXT NOT NULL,
  project    TEXT NOT NULL,
  user_id    TEXT NOT NULL,
  name       TEXT NOT NULL,
  title      TEXT NOT NULL DEFAULT '',
  created    INTEGER NOT NULL,
  terminated INTEGER NOT NULL DEFAULT 0,
  fence      INTEGER NOT NULL DEFAULT 0,
  owner      TEXT NOT NULL DEFAULT '',
  active     INTEGER NOT NULL DEFAULT 0,
  queued     INTEGER NOT NULL DEFAULT 0, -- items in its queue
  work_at    INTEGER NOT NULL DEFAULT 0, -- since when it has work, 0 for none
  next_ord   INTEGER NOT NULL DEFAULT 1, -- of messages; never reused
  messages   INTEGER NOT NULL DEFAULT 0, -- how many
  shown      INTEGER NOT NULL DEFAULT 0, -- how many not silent, at depth 0
  updated    INTEGER NOT NULL,
  era        INTEGER NOT NULL,           -- updated in units of 2^26 µs, about a minute
  status     TEXT NOT NULL,
  read       TEXT NOT NULL,              -- engine.ThreadRead
  state      TEXT                        -- engine.Exec.State
);
-- Listings go by era, then sort its few threads by updated: an index on updated
-- itself would change at every step.
CREATE INDEX threads_era     ON threads(era);
CREATE INDEX threads_session ON threads(session);
CREATE INDEX threads_parent  ON threads(parent) WHERE parent <> '';
CREATE INDEX threads_work    ON threads(work_at) WHERE work_at <> 0;

CREATE TABLE thread_inputs (
  thread    INTEGER PRIMARY KEY REFERENCES threads(num) ON DELETE CASCADE,
  arguments TEXT,
  spawn     TEXT
);

CREATE TABLE turns (
  id        TEXT PRIMARY KEY,
  thread    INTEGER NOT NULL REFERENCES threads(num) ON DELETE CASCADE,
  submitted INTEGER NOT NULL,
  status    TEXT NOT NULL,
  read      TEXT NOT NULL -- engine.TurnRead
);
CREATE INDEX turns_thread ON turns(thread, submitted);

CREATE TABLE children (
  num       INTEGER PRIMARY KEY, -- the order of creation
  parent    INTEGER NOT NULL REFERENCES threads(num) ON DELETE CASCADE,
  reference TEXT NOT NULL,
  child     TEXT NOT NULL, -- engine.Child
  UNIQUE (parent, reference)
);

CREATE TABLE messages (
  thread INTEGER NOT NULL REFERENCES threads(num) ON DELETE CASCADE,
  ord    INTEGER NOT NULL,
  id     TEXT NOT NULL,
  silent INTEGER NOT NULL,
  depth  INTEGER NOT NULL,
  run    TEXT NOT NULL,
  body   TEXT NOT NULL, -- engine.Message
  PRIMARY KEY (thread, ord)
) WITHOUT ROWID;
CREATE UNIQUE INDEX messages_id ON messages(thread, id);

-- In order of commit, whatever the session: appending is cheap only at the end of
-- a table, and the commits of a group share pages.
CREATE TABLE events (
  num     INTEGER PRIMARY KEY,
  session INTEGER NOT NULL REFERENCES sessions(num) ON DELETE CASCADE,
  seq     INTEGER NOT NULL,
  thread  INTEGER NOT NULL, -- threads.num, 0 for the session's own
  event   TEXT NOT NULL     -- engine.Event; the sequence is the column's
);
CREATE UNIQUE INDEX events_session ON events(session, seq);

CREATE TABLE queue (
  thread INTEGER NOT NULL REFERENCES threads(num) ON DELETE CASCADE,
  ord    INTEGER NOT NULL,
  id     TEXT NOT NULL UNIQUE,
  item   TEXT NOT NULL, -- engine.QueueItem
  PRIMARY KEY (thread, ord)
) WITHOUT ROWID;

CREATE TABLE kv (
  thread INTEGER NOT NULL REFERENCES threads(num) ON DELETE CASCADE,
  key    TEXT NOT NULL,
  value  TEXT NOT NULL,
  PRIMARY KEY (thread, key)
) WITHOUT ROWID;

-- thread is NULL for the scopes user and instance. A secret's value is sealed.
CREATE TABLE env (
  num    INTEGER PRIMARY KEY,
  scope  TEXT NOT NULL,
  thread INTEGER REFERENCES threads(num) ON DELETE CASCADE,
  name   TEXT NOT NULL,
  type   TEXT NOT NULL,
  value  BLOB NOT NULL
);
CREATE UNIQUE INDEX env_name ON env(scope, ifnull(thread, 0), name);
CREATE INDEX env_thread ON env(thread) WHERE thread IS NOT NULL;

CREATE TABLE outputs (
  ref        TEXT PRIMARY KEY,
  media_type TEXT NOT NULL,
  size       INTEGER NOT NULL
) WITHOUT ROWID;

CREATE TABLE output_chunks (
  ref   TEXT NOT NULL REFERENCES outputs(ref) ON DELETE CASCADE,
  chunk INTEGER NOT NULL,
  data  BLOB NOT NULL,
  PRIMARY KEY (ref, chunk)
);

-- Which threads need an output: it goes with the last of them.
CREATE TABLE output_uses (
  thread INTEGER NOT NULL REFERENCES threads(num) ON DELETE CASCADE,
  ref    TEXT NOT NULL,
  PRIMARY KEY (thread, ref)
) WITHOUT ROWID;
CREATE INDEX output_uses_ref ON output_uses(ref);

CREATE TABLE signals (
  id      INTEGER PRIMARY KEY AUTOINCREMENT,
  thread  INTEGER NOT NULL REFERENCES threads(num) ON DELETE CASCADE,
  kind    TEXT NOT NULL,
  turn    TEXT NOT NULL,
  reason  TEXT NOT NULL,
  created INTEGER NOT NULL
);
CREATE INDEX signals_thread ON signals(thread);

CREATE TABLE hosts (
  id        TEXT NOT NULL,
  project   TEXT NOT NULL,
  session   TEXT NOT NULL,
  started   INTEGER NOT NULL,
  heartbeat INTEGER NOT NULL, -- 0 where the host's lock tells
  PRIMARY KEY (id, project, session)
) WITHOUT ROWID;
