-- Deferred subagents: they wait for variables and go when they boot.
CREATE TABLE requests (
  id      TEXT PRIMARY KEY,
  thread  INTEGER NOT NULL REFERENCES threads(num) ON DELETE CASCADE,
  payload TEXT NOT NULL, -- the engine's own
  created INTEGER NOT NULL
);
CREATE INDEX requests_thread ON requests(thread);
