/** The steps before usage counters. See `migrations.ts`. */
export const firstMigrations: readonly string[] = [
  `
  CREATE TABLE keys (
    id           TEXT PRIMARY KEY,
    name         TEXT NOT NULL,
    prefix       TEXT NOT NULL,
    hash         TEXT NOT NULL UNIQUE,
    role         TEXT NOT NULL CHECK (role IN ('admin', 'member')),
    created_at   TEXT NOT NULL,
    expires_at   TEXT,
    last_used_at TEXT
  ) STRICT;

  CREATE TABLE settings (
    name    TEXT PRIMARY KEY,
    value   TEXT NOT NULL,
    address TEXT
  ) STRICT;

  CREATE TABLE licenses (
    id         TEXT PRIMARY KEY,
    customer   TEXT NOT NULL,
    kind       TEXT NOT NULL CHECK (kind IN ('offline', 'online')),
    expires_at TEXT NOT NULL,
    teamspace  TEXT,
    revoked_at TEXT
  ) STRICT;

  CREATE TABLE trusted_license_keys (
    pem TEXT PRIMARY KEY
  ) STRICT;
  `,
  `
  CREATE TABLE libraries (
    key         TEXT PRIMARY KEY,
    id          TEXT NOT NULL,
    title       TEXT NOT NULL,
    description TEXT NOT NULL,
    branch      TEXT NOT NULL,
    source_url  TEXT NOT NULL,
    stars       INTEGER NOT NULL,
    trust_score INTEGER NOT NULL,
    aliases     TEXT NOT NULL,
    settings    TEXT NOT NULL,
    private     INTEGER NOT NULL,
    imported    INTEGER NOT NULL,
    generated   INTEGER NOT NULL
  ) STRICT;

  CREATE TABLE versions (
    key        TEXT NOT NULL REFERENCES libraries ON DELETE CASCADE,
    version    TEXT NOT NULL,
    ref        TEXT NOT NULL,
    generation TEXT NOT NULL,
    commit_id  TEXT NOT NULL,
    tokens     INTEGER NOT NULL,
    snippets   INTEGER NOT NULL,
    rules      TEXT NOT NULL,
    updated_at TEXT NOT NULL,
    PRIMARY KEY (key, version)
  ) STRICT;

  CREATE TABLE generations (
    name       TEXT PRIMARY KEY,
    job        INTEGER,
    retired_at TEXT
  ) STRICT;

  CREATE TABLE jobs (
    id             INTEGER PRIMARY KEY AUTOINCREMENT,
    key            TEXT NOT NULL,
    project        TEXT NOT NULL,
    kind           TEXT NOT NULL CHECK (kind IN ('parse', 'import', 'reindex')),
    state          TEXT NOT NULL CHECK (state IN ('queued', 'parsing', 'finalizing', 'done', 'failed', 'cancelled')),
    request        TEXT NOT NULL,
    files_done     INTEGER NOT NULL DEFAULT 0,
    files_total    INTEGER NOT NULL DEFAULT 0,
    snippets       INTEGER NOT NULL DEFAULT 0,
    status_message TEXT,
    created_at     TEXT NOT NULL,
    started_at     TEXT,
    finished_at    TEXT,
    due_at         TEXT NOT NULL,
    attempts       INTEGER NOT NULL DEFAULT 0,
    interruptions  INTEGER NOT NULL DEFAULT 0,
    error          TEXT,
    report         TEXT
  ) STRICT;
  CREATE UNIQUE INDEX one_active_job ON jobs (key) WHERE state IN ('queued', 'parsing', 'finalizing');
  CREATE INDEX jobs_by_state ON jobs (state, due_at, id);

  CREATE TABLE job_log (
    job  INTEGER NOT NULL REFERENCES jobs ON DELETE CASCADE,
    at   TEXT NOT NULL,
    line TEXT NOT NULL
  ) STRICT;
  CREATE INDEX job_log_by_job ON job_log (job);

  CREATE TABLE job_files (
    job       INTEGER NOT NULL REFERENCES jobs ON DELETE CASCADE,
    path      TEXT NOT NULL,
    suspected INTEGER NOT NULL DEFAULT 0,
    PRIMARY KEY (job, path)
  ) STRICT, WITHOUT ROWID;
  `,
  `
  DROP TABLE job_files;
  CREATE TABLE job_files (
    job     INTEGER NOT NULL REFERENCES jobs ON DELETE CASCADE,
    path    TEXT NOT NULL,
    in_hand INTEGER NOT NULL,
    crashes INTEGER NOT NULL DEFAULT 0,
    PRIMARY KEY (job, path)
  ) STRICT, WITHOUT ROWID;
  `,
  `
  CREATE TABLE files_in_hand (
    key     TEXT NOT NULL,
    version TEXT NOT NULL,
    path    TEXT NOT NULL,
    PRIMARY KEY (key, version, path)
  ) STRICT, WITHOUT ROWID;
  CREATE TABLE file_crashes (
    key     TEXT NOT NULL,
    version TEXT NOT NULL,
    path    TEXT NOT NULL,
    crashes INTEGER NOT NULL,
    PRIMARY KEY (key, version, path)
  ) STRICT, WITHOUT ROWID;
  INSERT OR IGNORE INTO files_in_hand SELECT key, '', path FROM job_files JOIN jobs ON id = job WHERE in_hand = 1;
  INSERT INTO file_crashes SELECT key, '', path, max(crashes) FROM job_files JOIN jobs ON id = job WHERE crashes > 0 GROUP BY key, path;
  DROP TABLE job_files;
  `,
  `
  ALTER TABLE versions ADD COLUMN model TEXT;
  ALTER TABLE versions ADD COLUMN dimensions INTEGER;
  CREATE TABLE audit (
    id      INTEGER PRIMARY KEY AUTOINCREMENT,
    at      TEXT NOT NULL,
    actor   TEXT NOT NULL,
    action  TEXT NOT NULL,
    subject TEXT NOT NULL
  ) STRICT;
  `,
]
