-- Scheduled effects. A dead one stays until it is removed or run again.
CREATE TABLE effects (
  id      TEXT PRIMARY KEY,
  thread  INTEGER NOT NULL REFERENCES threads(num) ON DELETE CASCADE,
  name    TEXT NOT NULL,
  at      INTEGER NOT NULL,
  state   TEXT NOT NULL,
  body    TEXT NOT NULL -- engine.Scheduled
);
CREATE INDEX effects_thread ON effects(thread);
CREATE INDEX effects_due    ON effects(at) WHERE state = 'pending';
