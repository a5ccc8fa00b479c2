import { Counter, Gauge, Histogram, Registry } from 'prom-client'

/** The metrics of an install, without those of its process. Labels have few values, and none is a name or an address. */
export type Instruments = ReturnType<typeof instruments>

const requestBuckets = [0.005, 0.025, 0.1, 0.5, 2.5, 10, 60]
const callBuckets = [0.05, 0.25, 1, 5, 20, 60]

export function instruments() {
  const registry = new Registry()
  const registers = [registry]
  const counter = <Label extends string>(name: string, help: string, ...labelNames: Label[]) =>
    new Counter({ name, help, labelNames, registers })
  const gauge = <Label extends string>(name: string, help: string, ...labelNames: Label[]) =>
    new Gauge({ name, help, labelNames, registers })
  const histogram = <Label extends string>(name: string, help: string, buckets: number[], ...labelNames: Label[]) =>
    new Histogram({ name, help, buckets, labelNames, registers })
  return {
    registry,
    build: gauge('carrel_build_info', 'Always 1. The version of the server.', 'version'),
    licenseExpires: gauge('carrel_license_expiry_timestamp_seconds', 'When the license expires, in seconds since 1970.'),

    requests: counter('carrel_http_requests_total', 'Requests, by route and class of the status.', 'route', 'method', 'status'),
    requestSeconds: histogram(
      'carrel_http_request_duration_seconds',
      'Time until a response begins, by route.',
      requestBuckets,
      'route',
      'method',
    ),

    questions: counter(
      'carrel_questions_total',
      'Searches and questions, over HTTP or MCP, by outcome: answered, not_covered by the documentation, nothing_found, rejected because too many wait, invalid, disconnected, failed.',
      'kind',
      'entry',
      'outcome',
    ),
    questionSeconds: histogram(
      'carrel_question_duration_seconds',
      'Time of a search or question, with its wait.',
      requestBuckets,
      'kind',
      'entry',
    ),
    questionsWaiting: gauge('carrel_questions_waiting', 'Questions that wait for their turn.'),
    questionsRunning: gauge('carrel_questions_running', 'Questions that are being answered.'),

    jobsWaiting: gauge('carrel_jobs_waiting', 'Jobs in the queue, also those that wait for a retry.', 'kind'),
    jobsOldest: gauge('carrel_jobs_oldest_waiting_seconds', 'Age of the oldest job in the queue; 0 if it is empty.', 'kind'),
    jobsRunning: gauge('carrel_jobs_running', 'Jobs that are running.', 'kind'),
    jobsFinished: counter(
      'carrel_jobs_finished_total',
      'Jobs that ended, by outcome: done, failed, cancelled.',
      'kind',
      'outcome',
    ),
    jobSeconds: counter('carrel_job_seconds_total', 'Time that jobs ran.', 'kind'),
    jobFiles: counter('carrel_job_files_total', 'Files that jobs read.', 'kind'),
    jobSnippets: counter('carrel_job_snippets_total', 'Snippets that jobs made or imported.', 'kind'),

    aiCalls: counter(
      'carrel_ai_calls_total',
      'Calls of models, by use (embed_documents, embed_question, llm) and outcome: ok, rate_limited, timeout, cancelled, failed.',
      'provider',
      'use',
      'outcome',
    ),
    aiSeconds: histogram('carrel_ai_call_duration_seconds', 'Time of a call of a model.', callBuckets, 'provider', 'use'),
    aiTokens: counter(
      'carrel_ai_tokens_total',
      'Tokens of calls: as the provider counts them for llm, else estimated from the length of the texts.',
      'provider',
      'use',
    ),

    libraries: gauge('carrel_libraries', 'Libraries with content.'),
    versions: gauge('carrel_library_versions', 'Versions with content, the default versions included.'),
    librariesStale: gauge(
      'carrel_libraries_stale',
      'Libraries that have not been compared with their source for refresh.staleDays.',
    ),
    libraryChecks: counter(
      'carrel_library_checks_total',
      'Comparisons of a library with its repository, by outcome: unchanged, queued (a refresh), refused by the host, failed, paused because the host does not respond, absent from the settings.',
      'outcome',
    ),
    snippets: gauge('carrel_snippets', 'Snippets that are served.'),
    vectors: gauge('carrel_vectors', 'Snippets that have a vector: served, or made for content that is still served without.'),
    storeBytes: gauge(
      'carrel_store_bytes',
      'Bytes on disk: index (served content), database, vectors (known vectors), texts (the index of the search over everything).',
      'store',
    ),
    diskFree: gauge('carrel_disk_free_bytes', 'Bytes that the server may still write to the file system of DATA_DIR.'),
    diskSize: gauge('carrel_disk_size_bytes', 'Size of the file system of DATA_DIR.'),
    diskShortage: gauge('carrel_disk_shortage', '1 while jobs and imports wait for disk space, else 0.'),
    backupNewest: gauge(
      'carrel_backup_newest_timestamp_seconds',
      'When the newest stored backup was made, in seconds since 1970; 0 if there is none.',
    ),
    backupOverdue: gauge(
      'carrel_backup_overdue_seconds',
      'For how long the backup that the schedule wants is missing; 0 if none is.',
    ),
    notificationsAttempted: counter(
      'carrel_notifications_total',
      'Attempts to send a notification, by outcome: sent, failed.',
      'channel',
      'outcome',
    ),
    notificationsWaiting: gauge('carrel_notifications_waiting', 'Events that have not arrived at a channel yet.', 'channel'),
    notificationsFailing: gauge(
      'carrel_notifications_failing',
      '1 from a failed attempt to send a notification until the channel works again, else 0.',
      'channel',
    ),
    backupFailed: gauge('carrel_backup_failed', '1 from a failed backup until one succeeds, else 0.'),
  }
}
