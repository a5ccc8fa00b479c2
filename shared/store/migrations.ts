/**
 * The schema of the database, as steps that only go forward: a database at `user_version` n has taken the first n. A step that a
 * release has published is never changed; a new one is appended. Times are ISO 8601 in UTC.
 */
export const migrations: readonly string[] = [
  `
  CREATE TABLE settings (
    name    TEXT PRIMARY KEY,
    value   TEXT NOT NULL,
    address TEXT
  ) STRICT;

  CREATE TABLE skipped_steps (step TEXT PRIMARY KEY) STRICT;

  CREATE TABLE known_hosts (name TEXT PRIMARY KEY) STRICT;

  CREATE TABLE licenses (
    id         TEXT PRIMARY KEY,
    customer   TEXT NOT NULL,
    kind       TEXT NOT NULL CHECK (kind IN ('offline', 'online')),
    expires_at TEXT NOT NULL,
    teamspace  TEXT,
    revoked_at TEXT
  ) STRICT;

  CREATE TABLE trusted_license_keys (pem TEXT PRIMARY KEY) STRICT;

  CREATE TABLE policy (
    id        INTEGER PRIMARY KEY CHECK (id = 1),
    policy    TEXT NOT NULL,
    revision  INTEGER NOT NULL,
    pushed_to TEXT
  ) STRICT;

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

  CREATE TABLE keys (
    id           TEXT PRIMARY KEY,
    name         TEXT NOT NULL,
    prefix       TEXT NOT NULL,
    hash         TEXT NOT NULL UNIQUE,
    role         TEXT NOT NULL CHECK (role IN ('admin', 'member')),
    created_at   TEXT NOT NULL,
    expires_at   TEXT,
    last_used_at TEXT,
    user_id      TEXT REFERENCES users ON DELETE CASCADE,
    made_by      TEXT REFERENCES keys ON DELETE CASCADE
  ) STRICT;
  CREATE INDEX keys_by_user ON keys (user_id);
  CREATE INDEX keys_by_maker ON keys (made_by);

  CREATE TABLE audit (
    id      INTEGER PRIMARY KEY AUTOINCREMENT,
    at      TEXT NOT NULL,
    actor   TEXT NOT NULL,
    action  TEXT NOT NULL,
    subject TEXT NOT NULL
  ) STRICT;

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

  CREATE TABLE library_owners (
    key   TEXT PRIMARY KEY,
    owner TEXT NOT NULL
  ) STRICT, WITHOUT ROWID;

  CREATE TABLE versions (
    key           TEXT NOT NULL REFERENCES libraries ON DELETE CASCADE,
    version       TEXT NOT NULL,
    ref           TEXT NOT NULL,
    generation    TEXT NOT NULL,
    commit_id     TEXT NOT NULL,
    tokens        INTEGER NOT NULL,
    snippets      INTEGER NOT NULL,
    code_snippets INTEGER NOT NULL,
    rules         TEXT NOT NULL,
    updated_at    TEXT NOT NULL,
    model         TEXT,
    dimensions    INTEGER,
    format        INTEGER NOT NULL,
    PRIMARY KEY (key, version)
  ) STRICT;

  CREATE TABLE generations (
    name       TEXT PRIMARY KEY,
    job        INTEGER,
    retired_at TEXT,
    version    TEXT
  ) STRICT;

  CREATE TABLE later_generations (
    name     TEXT PRIMARY KEY,
    found_at TEXT NOT NULL
  ) STRICT;

  CREATE TABLE jobs (
    id             INTEGER PRIMARY KEY AUTOINCREMENT,
    key            TEXT NOT NULL,
    library        TEXT GENERATED ALWAYS AS (
      substr(key, 1, instr(substr(key, 2), '/') + 1)
      || substr(substr(key || '@', instr(substr(key, 2), '/') + 2), 1, instr(substr(key || '@', instr(substr(key, 2), '/') + 2), '@') - 1)
    ) VIRTUAL,
    project        TEXT NOT NULL,
    kind           TEXT NOT NULL CHECK (kind IN ('parse', 'import', 'reindex')),
    state          TEXT NOT NULL CHECK (state IN ('queued', 'parsing', 'finalizing', 'done', 'failed', 'cancelled')),
    -- NULL for jobs of the server itself.
    caller         TEXT,
    request        TEXT NOT NULL,
    files_done     INTEGER NOT NULL DEFAULT 0,
    files_total    INTEGER NOT NULL DEFAULT 0,
    snippets       INTEGER NOT NULL DEFAULT 0,
    texts_embedded INTEGER NOT NULL DEFAULT 0,
    llm_tokens     INTEGER NOT NULL DEFAULT 0,
    status_message TEXT,
    created_at     TEXT NOT NULL,
    -- When the first run began, and the last one.
    started_at     TEXT,
    claimed_at     TEXT,
    finished_at    TEXT,
    due_at         TEXT NOT NULL,
    attempts       INTEGER NOT NULL DEFAULT 0,
    interruptions  INTEGER NOT NULL DEFAULT 0,
    -- Bytes that the process of the last run could use; NULL if it was stopped.
    memory         INTEGER,
    error          TEXT,
    report         TEXT,
    dismissed      INTEGER NOT NULL DEFAULT 0
  ) STRICT;
  CREATE UNIQUE INDEX one_active_job ON jobs (key) WHERE state IN ('queued', 'parsing', 'finalizing');
  CREATE INDEX jobs_by_state ON jobs (state, due_at, id);
  CREATE INDEX jobs_by_library ON jobs (library, id);

  CREATE TABLE job_log (
    job  INTEGER NOT NULL REFERENCES jobs ON DELETE CASCADE,
    at   TEXT NOT NULL,
    line TEXT NOT NULL
  ) STRICT;
  CREATE INDEX job_log_by_job ON job_log (job);

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

  CREATE TABLE usage_unanswered (
    id    TEXT NOT NULL,
    date  TEXT NOT NULL,
    count INTEGER NOT NULL,
    PRIMARY KEY (id, date)
  ) STRICT, WITHOUT ROWID;

  CREATE TABLE usage_checkpoints (
    id       TEXT NOT NULL,
    shard    TEXT NOT NULL,
    sequence TEXT NOT NULL,
    PRIMARY KEY (id, shard)
  ) STRICT, WITHOUT ROWID;
  `,
  'ALTER TABLE versions ADD COLUMN commit_date TEXT',
  `
  DROP INDEX one_active_job;
  CREATE UNIQUE INDEX one_active_job ON jobs (key) WHERE state IN ('queued', 'parsing', 'finalizing') AND kind <> 'reindex';
  CREATE UNIQUE INDEX one_active_reindex ON jobs (key) WHERE state IN ('queued', 'parsing', 'finalizing') AND kind = 'reindex';
  `,
  `
  -- When a deletion that can be undone hid the row.
  ALTER TABLE libraries ADD COLUMN hidden_at TEXT;
  ALTER TABLE versions ADD COLUMN hidden_at TEXT;
  CREATE VIEW shown_libraries AS SELECT * FROM libraries WHERE hidden_at IS NULL;
  CREATE VIEW shown_versions AS SELECT v.* FROM versions v JOIN shown_libraries USING (key) WHERE v.hidden_at IS NULL;
  `,
  `
  CREATE TABLE reached_steps (step TEXT PRIMARY KEY) STRICT;
  CREATE TABLE agent_requests (client TEXT PRIMARY KEY, at TEXT NOT NULL) STRICT, WITHOUT ROWID;
  INSERT INTO reached_steps SELECT 'ask' WHERE EXISTS (SELECT 1 FROM usage_days);
  INSERT INTO reached_steps SELECT 'connect' WHERE EXISTS (SELECT 1 FROM usage_days WHERE mcp > 0);
  -- An install that has libraries needs no list of first steps.
  INSERT INTO skipped_steps SELECT column1 FROM (VALUES ('ask'), ('connect')) WHERE EXISTS (SELECT 1 FROM libraries);
  `,
  `
  CREATE TABLE feedback (
    id       INTEGER PRIMARY KEY,
    key      TEXT NOT NULL,
    at       TEXT NOT NULL,
    kind     TEXT NOT NULL,
    question TEXT NOT NULL,
    comment  TEXT NOT NULL,
    author   TEXT,
    times    INTEGER NOT NULL
  ) STRICT;
  CREATE INDEX feedback_by_library ON feedback (key, at);
  CREATE INDEX feedback_by_author ON feedback (author, at) WHERE author IS NOT NULL;
  CREATE UNIQUE INDEX one_unanswered_question ON feedback (key, question) WHERE kind = 'unanswered';
  `,
  `
  ALTER TABLE usage_days ADD COLUMN answered INTEGER NOT NULL DEFAULT 0;
  ALTER TABLE usage_days ADD COLUMN uncovered INTEGER NOT NULL DEFAULT 0;
  ALTER TABLE usage_days ADD COLUMN unanswered INTEGER NOT NULL DEFAULT 0;
  INSERT INTO usage_days SELECT id, date, 0, 0, 0, 0, 0, 0, count FROM usage_unanswered WHERE true
    ON CONFLICT DO UPDATE SET unanswered = excluded.unanswered;
  DROP TABLE usage_unanswered;
  -- The install counts for itself, with an empty id, which had only the requests of deleted libraries.
  INSERT INTO usage_days SELECT '', date, sum(page), sum(txt), sum(mcp), sum(cli), 0, 0, sum(unanswered) FROM usage_days
    WHERE id IN (SELECT key FROM libraries) GROUP BY date
    ON CONFLICT DO UPDATE SET page = page + excluded.page, txt = txt + excluded.txt, mcp = mcp + excluded.mcp,
      cli = cli + excluded.cli, unanswered = unanswered + excluded.unanswered;
  INSERT INTO usage_countries SELECT '', country, sum(count) FROM usage_countries
    WHERE id IN (SELECT key FROM libraries) GROUP BY country
    ON CONFLICT DO UPDATE SET count = count + excluded.count;
  CREATE INDEX usage_users_by_client ON usage_users (date, client);

  -- Questions by the upper bound of their answer time in ms.
  CREATE TABLE usage_times (
    id    TEXT NOT NULL,
    date  TEXT NOT NULL,
    bound INTEGER NOT NULL,
    count INTEGER NOT NULL,
    PRIMARY KEY (id, date, bound)
  ) STRICT, WITHOUT ROWID;

  CREATE TABLE usage_day_topics (
    id    TEXT NOT NULL,
    date  TEXT NOT NULL,
    topic TEXT NOT NULL,
    count INTEGER NOT NULL,
    PRIMARY KEY (id, date, topic)
  ) STRICT, WITHOUT ROWID;
  `,
  // Existing users are not asked: who set their passwords is unknown.
  'ALTER TABLE users ADD COLUMN must_change_password INTEGER NOT NULL DEFAULT 0',
  `
  DROP VIEW shown_versions;
  DROP VIEW shown_libraries;
  ALTER TABLE libraries ADD COLUMN tags TEXT NOT NULL DEFAULT '[]';
  ALTER TABLE versions ADD COLUMN code_language TEXT;
  CREATE VIEW shown_libraries AS SELECT * FROM libraries WHERE hidden_at IS NULL;
  CREATE VIEW shown_versions AS SELECT v.* FROM versions v JOIN shown_libraries USING (key) WHERE v.hidden_at IS NULL;
  `,
  `
  CREATE TABLE hooks (
    id         TEXT PRIMARY KEY,
    kind       TEXT NOT NULL,
    name       TEXT NOT NULL,
    library    TEXT,
    host       TEXT,
    secret     TEXT NOT NULL,
    created_at TEXT NOT NULL
  ) STRICT;

  -- Equal outcomes are one row. An empty library or the job 0 is none.
  CREATE TABLE hook_deliveries (
    id      INTEGER PRIMARY KEY,
    hook    TEXT NOT NULL,
    event   TEXT NOT NULL,
    library TEXT NOT NULL,
    outcome TEXT NOT NULL,
    detail  TEXT NOT NULL,
    job     INTEGER NOT NULL,
    times   INTEGER NOT NULL,
    at      TEXT NOT NULL,
    UNIQUE (hook, event, library, outcome, detail, job)
  ) STRICT;

  CREATE TABLE hook_seen (
    id       INTEGER PRIMARY KEY,
    hook     TEXT NOT NULL,
    identity TEXT NOT NULL,
    UNIQUE (hook, identity)
  ) STRICT;

  -- Libraries that are refreshed again after their running job.
  CREATE TABLE hook_waits (library TEXT PRIMARY KEY, hook TEXT NOT NULL) STRICT;
  `,
  `
  CREATE TABLE signing_key (
    id         INTEGER PRIMARY KEY CHECK (id = 1),
    public_pem TEXT NOT NULL,
    sealed     TEXT NOT NULL,
    made_at    TEXT NOT NULL
  ) STRICT;
  `,
  `
  -- What waits for a channel, or is in a message that is on its way.
  CREATE TABLE notification_events (
    id      INTEGER PRIMARY KEY,
    channel TEXT NOT NULL,
    kind    TEXT NOT NULL,
    subject TEXT NOT NULL,
    text    TEXT NOT NULL,
    at      TEXT NOT NULL,
    times   INTEGER NOT NULL,
    message TEXT
  ) STRICT;
  CREATE UNIQUE INDEX one_waiting_event ON notification_events (channel, kind, subject) WHERE message IS NULL;
  CREATE INDEX notification_events_by_message ON notification_events (message) WHERE message IS NOT NULL;

  CREATE TABLE notification_messages (
    id         TEXT PRIMARY KEY,
    channel    TEXT NOT NULL UNIQUE,
    created_at TEXT NOT NULL,
    due_at     TEXT NOT NULL,
    attempts   INTEGER NOT NULL DEFAULT 0,
    unsettled  INTEGER NOT NULL DEFAULT 0
  ) STRICT;

  CREATE TABLE notification_channels (
    channel       TEXT PRIMARY KEY,
    sent_at       TEXT,
    failing_since TEXT,
    error         TEXT,
    dropped       INTEGER NOT NULL DEFAULT 0
  ) STRICT, WITHOUT ROWID;

  -- When a channel last reported an event of a subject.
  CREATE TABLE notification_reports (
    channel TEXT NOT NULL,
    kind    TEXT NOT NULL,
    subject TEXT NOT NULL,
    at      TEXT NOT NULL,
    PRIMARY KEY (channel, kind, subject)
  ) STRICT, WITHOUT ROWID;

  -- What holds, such as a full disk, and was noted for a channel when it began.
  CREATE TABLE notification_states (
    channel TEXT NOT NULL,
    kind    TEXT NOT NULL,
    subject TEXT NOT NULL,
    state   TEXT NOT NULL,
    PRIMARY KEY (channel, kind, subject)
  ) STRICT, WITHOUT ROWID;
  `,
  `
  -- What the hosts of repositories say about them, as JSON.
  CREATE TABLE repositories (key TEXT PRIMARY KEY, facts TEXT NOT NULL) STRICT, WITHOUT ROWID;
  `,
  `
  -- What carrel.yaml declares: by "file" with "carrel apply", by "git" in the followed repository.
  CREATE TABLE declared_libraries (
    key   TEXT PRIMARY KEY,
    id    TEXT NOT NULL,
    by    TEXT NOT NULL,
    entry TEXT NOT NULL,
    line  INTEGER NOT NULL,
    -- 0 if the file no longer names it.
    named INTEGER NOT NULL
  ) STRICT, WITHOUT ROWID;
  CREATE TABLE declared_settings (
    name  TEXT PRIMARY KEY,
    by    TEXT NOT NULL,
    value TEXT NOT NULL,
    line  INTEGER NOT NULL
  ) STRICT, WITHOUT ROWID;
  CREATE TABLE gitops_run (id INTEGER PRIMARY KEY CHECK (id = 1), run TEXT NOT NULL) STRICT;
  CREATE TABLE named_secrets (
    name       TEXT PRIMARY KEY,
    value      TEXT NOT NULL,
    -- The setting that a followed repository may use it for, and the address of that setting.
    setting    TEXT,
    address    TEXT,
    changed_at TEXT NOT NULL
  ) STRICT, WITHOUT ROWID;
  `,
  `
  -- When libraries were and will be compared with their repositories.
  CREATE TABLE library_checks (
    key        TEXT PRIMARY KEY,
    -- The schedule that due_at follows, as text; empty until it is planned.
    schedule   TEXT NOT NULL DEFAULT '',
    due_at     TEXT,
    -- When the repository last responded, or a job has read it.
    checked_at TEXT,
    outcome    TEXT,
    error      TEXT,
    failures   INTEGER NOT NULL DEFAULT 0
  ) STRICT, WITHOUT ROWID;
  CREATE INDEX library_checks_by_due ON library_checks (due_at) WHERE due_at IS NOT NULL;
  INSERT INTO library_checks (key, checked_at)
    SELECT library, max(finished_at) FROM jobs JOIN libraries ON libraries.key = library
    WHERE state = 'done' AND kind <> 'reindex' GROUP BY library;
  `,
  `
  -- The audit log is a chain: each hash is made of the one before and of its row.
  ALTER TABLE audit ADD COLUMN actor_id TEXT NOT NULL DEFAULT '';
  ALTER TABLE audit ADD COLUMN address TEXT NOT NULL DEFAULT '';
  ALTER TABLE audit ADD COLUMN library TEXT NOT NULL DEFAULT '';
  ALTER TABLE audit ADD COLUMN outcome TEXT NOT NULL DEFAULT 'allowed' CHECK (outcome IN ('allowed', 'refused'));
  -- Empty for rows from before the chain, until they are chained.
  ALTER TABLE audit ADD COLUMN hash TEXT NOT NULL DEFAULT '';
  CREATE TABLE audit_chain (
    id        INTEGER PRIMARY KEY CHECK (id = 1),
    -- The newest row that was deleted by age. The oldest one that is left follows its hash.
    cut_id    INTEGER NOT NULL,
    cut_hash  TEXT NOT NULL,
    head_id   INTEGER NOT NULL,
    head_hash TEXT NOT NULL
  ) STRICT;
  INSERT INTO audit_chain VALUES (1, 0, '', 0, '');
  CREATE TRIGGER audit_rows_are_final BEFORE UPDATE ON audit WHEN OLD.hash <> ''
    BEGIN SELECT raise(ABORT, 'the audit log is append-only'); END;
  CREATE TRIGGER audit_rows_are_new BEFORE INSERT ON audit WHEN NEW.id <= (SELECT head_id FROM audit_chain)
    BEGIN SELECT raise(ABORT, 'the audit log is append-only'); END;
  CREATE TRIGGER audit_rows_stay BEFORE DELETE ON audit WHEN OLD.id > (SELECT cut_id FROM audit_chain)
    BEGIN SELECT raise(ABORT, 'the audit log is append-only'); END;
  CREATE TRIGGER audit_cut_is_a_row BEFORE UPDATE OF cut_id, cut_hash ON audit_chain
    WHEN NOT EXISTS (SELECT 1 FROM audit WHERE id = NEW.cut_id AND hash = NEW.cut_hash)
    BEGIN SELECT raise(ABORT, 'the audit log is only cut at an entry'); END;
  CREATE TRIGGER audit_chain_stays BEFORE DELETE ON audit_chain
    BEGIN SELECT raise(ABORT, 'the audit log is append-only'); END;
  `,
  `
  -- Groups of users. Those of an issuer are named "issuer:name" and exist while they have members.
  CREATE TABLE groups (name TEXT PRIMARY KEY) STRICT, WITHOUT ROWID;
  CREATE TABLE group_members (
    user_id    TEXT NOT NULL REFERENCES users ON DELETE CASCADE,
    group_name TEXT NOT NULL,
    -- The issuer that has told it; empty for a local group.
    issuer     TEXT NOT NULL DEFAULT '',
    PRIMARY KEY (user_id, group_name)
  ) STRICT, WITHOUT ROWID;
  CREATE INDEX group_members_by_group ON group_members (group_name);

  -- Who may read the libraries whose ids match a pattern. The most specific pattern decides.
  CREATE TABLE library_rules (
    pattern TEXT PRIMARY KEY,
    access  TEXT NOT NULL CHECK (access IN ('public', 'internal', 'restricted', 'host')),
    -- Names of groups and ids of users, as JSON.
    groups  TEXT NOT NULL,
    users   TEXT NOT NULL
  ) STRICT, WITHOUT ROWID;

  -- The accounts of users at git hosts, by the names of the hosts in the settings.
  CREATE TABLE host_accounts (
    user_id TEXT NOT NULL REFERENCES users ON DELETE CASCADE,
    host    TEXT NOT NULL,
    account TEXT NOT NULL,
    PRIMARY KEY (user_id, host)
  ) STRICT, WITHOUT ROWID;
  -- The people whom the host of a library lets read its repository, as JSON; NULL before the first answer.
  CREATE TABLE host_readers (
    key         TEXT PRIMARY KEY,
    asked_at    TEXT NOT NULL,
    host        TEXT,
    readers     TEXT,
    answered_at TEXT
  ) STRICT, WITHOUT ROWID;

  -- A key without a scope has all rights of its role.
  ALTER TABLE keys ADD COLUMN scope TEXT CHECK (scope IN ('read', 'add', 'admin'));
  -- Patterns of libraries, and networks of callers, as JSON; NULL for all.
  ALTER TABLE keys ADD COLUMN libraries TEXT;
  ALTER TABLE keys ADD COLUMN addresses TEXT;
  `,
  `
  -- A person is known by the issuer and the subject there.
  CREATE UNIQUE INDEX accounts_by_provider ON accounts (provider_id, account_id);

  -- Sessions that began at an issuer, with the sealed token that ends the session there, too.
  CREATE TABLE issuer_sessions (
    session TEXT PRIMARY KEY REFERENCES sessions ON DELETE CASCADE,
    issuer  TEXT NOT NULL,
    token   TEXT
  ) STRICT, WITHOUT ROWID;
  `,
  `
  -- The newest entry of the audit log that each target has.
  CREATE TABLE audit_forwards (
    target  TEXT PRIMARY KEY,
    sent_id INTEGER NOT NULL
  ) STRICT, WITHOUT ROWID;
  `,
  `
  -- Clients of MCP that have registered themselves, and what users have allowed them. A client may be forgotten before its grants.
  CREATE TABLE oauth_clients (
    id            TEXT PRIMARY KEY,
    name          TEXT NOT NULL,
    redirect_uris TEXT NOT NULL,
    created_at    TEXT NOT NULL
  ) STRICT, WITHOUT ROWID;
  CREATE TABLE oauth_grants (
    id           TEXT PRIMARY KEY,
    user_id      TEXT NOT NULL REFERENCES users ON DELETE CASCADE,
    client_id    TEXT NOT NULL,
    client_name  TEXT NOT NULL,
    -- The address that its tokens are for.
    resource     TEXT NOT NULL,
    created_at   TEXT NOT NULL,
    last_used_at TEXT
  ) STRICT;
  CREATE INDEX oauth_grants_by_user ON oauth_grants (user_id);
  CREATE TABLE oauth_tokens (
    hash       TEXT PRIMARY KEY,
    grant_id   TEXT NOT NULL REFERENCES oauth_grants ON DELETE CASCADE,
    kind       TEXT NOT NULL CHECK (kind IN ('access', 'refresh')),
    expires_at TEXT NOT NULL,
    -- A refresh token that is used twice has been stolen.
    used_at    TEXT
  ) STRICT, WITHOUT ROWID;
  CREATE INDEX oauth_tokens_by_grant ON oauth_tokens (grant_id);
  `,
  `
  -- Clients that an admin has registered are kept, also while no user has allowed them.
  ALTER TABLE oauth_clients ADD COLUMN by_admin INTEGER NOT NULL DEFAULT 0 CHECK (by_admin IN (0, 1));
  `,
  `
  -- The second factors of users with a password. The secret of an app is sealed, recovery codes are hashed.
  CREATE TABLE authenticator_apps (
    user_id      TEXT PRIMARY KEY REFERENCES users ON DELETE CASCADE,
    secret       TEXT NOT NULL,
    -- The time step of the last code that was accepted: a code is valid once.
    last_step    INTEGER NOT NULL,
    created_at   TEXT NOT NULL,
    last_used_at TEXT
  ) STRICT, WITHOUT ROWID;
  CREATE TABLE passkeys (
    id           TEXT PRIMARY KEY,
    user_id      TEXT NOT NULL REFERENCES users ON DELETE CASCADE,
    name         TEXT NOT NULL,
    -- The host name of the server, for which alone a passkey is valid.
    host         TEXT NOT NULL,
    public_key   TEXT NOT NULL,
    counter      INTEGER NOT NULL,
    transports   TEXT NOT NULL,
    created_at   TEXT NOT NULL,
    last_used_at TEXT
  ) STRICT, WITHOUT ROWID;
  CREATE INDEX passkeys_by_user ON passkeys (user_id);
  CREATE TABLE recovery_codes (
    hash    TEXT PRIMARY KEY,
    user_id TEXT NOT NULL REFERENCES users ON DELETE CASCADE
  ) STRICT, WITHOUT ROWID;
  CREATE INDEX recovery_codes_by_user ON recovery_codes (user_id);
  `,
  `
  -- The claim by which SCIM knows a person, at the last sign-in. The issuer is its address, as in accounts.
  CREATE TABLE issuer_claims (
    user_id TEXT PRIMARY KEY REFERENCES users ON DELETE CASCADE,
    issuer  TEXT NOT NULL,
    claim   TEXT NOT NULL,
    value   TEXT NOT NULL
  ) STRICT, WITHOUT ROWID;
  CREATE INDEX issuer_claims_by_value ON issuer_claims (issuer, claim, value);

  -- Users whom an issuer has provisioned by SCIM. The id is the one that the issuer knows.
  CREATE TABLE scim_users (
    id          TEXT PRIMARY KEY,
    user_id     TEXT NOT NULL UNIQUE REFERENCES users ON DELETE CASCADE,
    issuer      TEXT NOT NULL,
    user_name   TEXT NOT NULL COLLATE NOCASE,
    external_id TEXT,
    created_at  TEXT NOT NULL,
    changed_at  TEXT NOT NULL
  ) STRICT;
  CREATE UNIQUE INDEX scim_users_by_name ON scim_users (issuer, user_name);
  CREATE UNIQUE INDEX scim_users_by_external_id ON scim_users (issuer, external_id);

  -- Groups that an issuer has provisioned by SCIM, also without members. They belong to the name and the address of the issuer.
  CREATE TABLE scim_groups (
    id           TEXT PRIMARY KEY,
    issuer       TEXT NOT NULL,
    address      TEXT NOT NULL,
    display_name TEXT NOT NULL COLLATE NOCASE,
    -- As rules name it: "issuer:display name".
    name         TEXT NOT NULL UNIQUE,
    external_id  TEXT,
    created_at   TEXT NOT NULL,
    changed_at   TEXT NOT NULL
  ) STRICT;
  CREATE UNIQUE INDEX scim_groups_by_name ON scim_groups (issuer, display_name);
  CREATE UNIQUE INDEX scim_groups_by_external_id ON scim_groups (issuer, external_id);
  `,
]
