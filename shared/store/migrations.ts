import { firstMigrations } from './first-migrations.ts'

/**
 * What the database holds, as steps that only go forward: a database at `user_version` n has taken the first n.
 * A step that has landed is never changed; a new one is appended. Times are ISO 8601 in UTC.
 */
export const migrations: readonly string[] = [
  ...firstMigrations,
  `
  CREATE TABLE usage_days (
    id   TEXT NOT NULL,
    date TEXT NOT NULL,
    page INTEGER NOT NULL,
    txt  INTEGER NOT NULL,
    mcp  INTEGER NOT NULL,
    cli  INTEGER NOT NULL,
    PRIMARY KEY (id, date)
  ) STRICT, WITHOUT ROWID;
  CREATE TABLE usage_topics (
    id    TEXT NOT NULL,
    topic TEXT NOT NULL,
    count INTEGER NOT NULL,
    PRIMARY KEY (id, topic)
  ) STRICT, WITHOUT ROWID;
  CREATE TABLE usage_countries (
    id      TEXT NOT NULL,
    country TEXT NOT NULL,
    count   INTEGER NOT NULL,
    PRIMARY KEY (id, country)
  ) STRICT, WITHOUT ROWID;
  CREATE TABLE usage_users (
    id     TEXT NOT NULL,
    date   TEXT NOT NULL,
    client TEXT NOT NULL,
    sketch BLOB,
    users  INTEGER NOT NULL,
    PRIMARY KEY (id, date, client)
  ) STRICT;
  CREATE TABLE usage_checkpoints (
    id       TEXT NOT NULL,
    shard    TEXT NOT NULL,
    sequence TEXT NOT NULL,
    PRIMARY KEY (id, shard)
  ) STRICT, WITHOUT ROWID;
  `,
  `
  CREATE TABLE llm_answers (
    key     TEXT NOT NULL,
    version TEXT NOT NULL,
    task    TEXT NOT NULL,
    model   TEXT NOT NULL,
    hash    TEXT NOT NULL,
    answer  TEXT NOT NULL,
    job     INTEGER NOT NULL,
    PRIMARY KEY (key, version, task, model, hash)
  ) STRICT, WITHOUT ROWID;
  CREATE INDEX llm_answers_by_hash ON llm_answers (hash, model, task);
  `,
  `
  CREATE TABLE policy (
    id        INTEGER PRIMARY KEY CHECK (id = 1),
    policy    TEXT NOT NULL,
    revision  INTEGER NOT NULL,
    pushed_to TEXT
  ) STRICT;
  `,
  `
  CREATE TABLE users (
    id              TEXT PRIMARY KEY,
    username        TEXT NOT NULL UNIQUE,
    name            TEXT NOT NULL,
    email           TEXT NOT NULL UNIQUE,
    email_verified  INTEGER NOT NULL DEFAULT 0,
    image           TEXT,
    role            TEXT NOT NULL CHECK (role IN ('admin', 'member')),
    banned          INTEGER NOT NULL DEFAULT 0,
    ban_reason      TEXT,
    ban_expires     TEXT,
    default_pair    INTEGER NOT NULL DEFAULT 0,
    created_at      TEXT NOT NULL,
    updated_at      TEXT NOT NULL,
    last_sign_in_at TEXT
  ) STRICT;

  CREATE TABLE accounts (
    id                       TEXT PRIMARY KEY,
    account_id               TEXT NOT NULL,
    provider_id              TEXT NOT NULL,
    user_id                  TEXT NOT NULL REFERENCES users ON DELETE CASCADE,
    access_token             TEXT,
    refresh_token            TEXT,
    id_token                 TEXT,
    access_token_expires_at  TEXT,
    refresh_token_expires_at TEXT,
    scope                    TEXT,
    password                 TEXT,
    created_at               TEXT NOT NULL,
    updated_at               TEXT NOT NULL
  ) STRICT;
  CREATE INDEX accounts_by_user ON accounts (user_id);

  CREATE TABLE sessions (
    id              TEXT PRIMARY KEY,
    token           TEXT NOT NULL UNIQUE,
    user_id         TEXT NOT NULL REFERENCES users ON DELETE CASCADE,
    expires_at      TEXT NOT NULL,
    ip_address      TEXT,
    user_agent      TEXT,
    impersonated_by TEXT,
    created_at      TEXT NOT NULL,
    updated_at      TEXT NOT NULL
  ) STRICT;
  CREATE INDEX sessions_by_user ON sessions (user_id);

  ALTER TABLE keys ADD COLUMN user_id TEXT REFERENCES users ON DELETE CASCADE;
  ALTER TABLE keys ADD COLUMN made_by TEXT REFERENCES keys ON DELETE CASCADE;
  CREATE INDEX keys_by_user ON keys (user_id);
  CREATE INDEX keys_by_maker ON keys (made_by);
  `,
  `
  ALTER TABLE versions ADD COLUMN code_snippets INTEGER;
  UPDATE libraries SET trust_score = -1;
  `,
  `
  ALTER TABLE versions ADD COLUMN format INTEGER NOT NULL DEFAULT 1;
  `,
  `
  CREATE TABLE later_generations (
    name     TEXT PRIMARY KEY,
    found_at TEXT NOT NULL
  ) STRICT;
  `,
  `
  ALTER TABLE jobs ADD COLUMN library TEXT GENERATED ALWAYS AS (
    substr(key, 1, instr(substr(key, 2), '/') + 1)
    || substr(substr(key || '@', instr(substr(key, 2), '/') + 2), 1, instr(substr(key || '@', instr(substr(key, 2), '/') + 2), '@') - 1)
  ) VIRTUAL;
  ALTER TABLE jobs ADD COLUMN dismissed INTEGER NOT NULL DEFAULT 0;
  CREATE INDEX jobs_by_library ON jobs (library, id);
  UPDATE jobs SET dismissed = 1 WHERE state = 'failed' AND library IN (SELECT library FROM jobs WHERE state = 'done');
  `,
  // NULL for generations that were reserved before.
  `
  ALTER TABLE generations ADD COLUMN version TEXT;
  `,
  `
  ALTER TABLE jobs ADD COLUMN texts_embedded INTEGER NOT NULL DEFAULT 0;
  ALTER TABLE jobs ADD COLUMN llm_tokens INTEGER NOT NULL DEFAULT 0;
  UPDATE jobs SET texts_embedded = coalesce(json_extract(report, '$.textsEmbedded'), 0), llm_tokens = coalesce(json_extract(report, '$.llmTokens'), 0)
    WHERE state IN ('queued', 'parsing', 'finalizing') AND report IS NOT NULL;
  `,
  `
  CREATE TABLE usage_unanswered (
    id    TEXT NOT NULL,
    date  TEXT NOT NULL,
    count INTEGER NOT NULL,
    PRIMARY KEY (id, date)
  ) STRICT, WITHOUT ROWID;
  `,
  `
  CREATE TABLE skipped_steps (step TEXT PRIMARY KEY) STRICT;
  `,
  // Users of the whole install on the days before: at least those of the library with the most.
  `
  INSERT OR IGNORE INTO usage_users SELECT '', date, client, NULL, max(users) FROM usage_users GROUP BY date, client;
  `,
  `
  CREATE TABLE known_hosts (name TEXT PRIMARY KEY) STRICT;
  `,
  // Bytes that the process of the last run could use; NULL if it was stopped.
  `
  ALTER TABLE jobs ADD COLUMN memory INTEGER;
  `,
  // NULL for jobs that were queued before, and those of the server itself.
  `
  ALTER TABLE jobs ADD COLUMN caller TEXT;
  `,
  `
  CREATE TABLE library_owners (
    key   TEXT PRIMARY KEY,
    owner TEXT NOT NULL
  ) STRICT, WITHOUT ROWID;
  `,
  // When the last run of a job began; started_at is when the first one did.
  `
  ALTER TABLE jobs ADD COLUMN claimed_at TEXT;
  `,
]
