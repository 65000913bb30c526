-- Files of threads. Content never changes and is shared by copies: it goes with
-- the last file that has it.
CREATE TABLE file_contents (
  num INTEGER PRIMARY KEY AUTOINCREMENT
);

CREATE TABLE file_chunks (
  content INTEGER NOT NULL REFERENCES file_contents(num) ON DELETE CASCADE,
  chunk   INTEGER NOT NULL,
  data    BLOB NOT NULL,
  PRIMARY KEY (content, chunk)
);

CREATE TABLE files (
  num      INTEGER PRIMARY KEY,
  thread   INTEGER NOT NULL REFERENCES threads(num) ON DELETE CASCADE,
  dir      TEXT NOT NULL, -- path of the directory that it is in
  name     TEXT NOT NULL,
  content  INTEGER REFERENCES file_contents(num), -- NULL of a directory
  mime     TEXT NOT NULL,
  size     INTEGER NOT NULL,
  width    INTEGER NOT NULL,
  height   INTEGER NOT NULL,
  metadata TEXT,
  created  INTEGER NOT NULL, -- milliseconds
  updated  INTEGER NOT NULL
);
CREATE UNIQUE INDEX files_path ON files(thread, dir, name);
CREATE INDEX files_content ON files(content) WHERE content IS NOT NULL;

CREATE TRIGGER files_removed AFTER DELETE ON files WHEN old.content IS NOT NULL BEGIN
  DELETE FROM file_contents WHERE num = old.content AND NOT EXISTS (SELECT 1 FROM files WHERE content = old.content);
END;
CREATE TRIGGER files_replaced AFTER UPDATE OF content ON files WHEN old.content IS NOT NULL AND old.content IS NOT new.content BEGIN
  DELETE FROM file_contents WHERE num = old.content AND NOT EXISTS (SELECT 1 FROM files WHERE content = old.content);
END;
