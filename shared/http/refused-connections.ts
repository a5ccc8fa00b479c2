import type { Log } from '../log.ts'
import { connectionLimit, openFilesLimit } from '../system/open-files.ts'
import { pluralize } from '../text/figures.ts'

/** The connections that a server refuses so that it does not run out of file descriptors. */
export type RefusedConnections = {
  /** Maximum number of open connections, if so many are `open`. */
  max(open: number): number
  note(): void
  /** A sentence while some were refused in the last hour. */
  warning(): string | undefined
}

const logEveryMs = 60_000
const warnForMs = 3_600_000

/** Logs a line at most once a minute. */
export function refusedConnections(log: Log, max = connectionLimit()): RefusedConnections {
  let count = 0
  let lastMs = Number.NEGATIVE_INFINITY
  let loggedMs = Number.NEGATIVE_INFINITY
  const sentence = () =>
    `The server refused ${pluralize(count, 'connection')}: it may have ${openFilesLimit()} files open, and needs some for questions and jobs. Raise the limit of open files (ulimit -n, LimitNOFILE of systemd, --ulimit of Docker) and restart it.`
  return {
    max,
    note() {
      count++
      lastMs = performance.now()
      if (lastMs - loggedMs < logEveryMs) return
      loggedMs = lastMs
      log.error({ refused: count, openFiles: openFilesLimit() }, 'connections are refused: raise the limit of open files')
    },
    warning: () => (performance.now() - lastMs < warnForMs ? sentence() : undefined),
  }
}
