import { type DestinationStream, pino } from 'pino'
import type { ServerLog } from '../log.ts'
import { escapeHidden } from './escape-hidden.ts'
import type { LogLevel } from './log-level.ts'
import { loggedError } from './logged-error.ts'

const maxWaitingBytes = 1024 * 1024
/** The time that a process which exits gives to the reader of its last lines. */
const maxFlushMs = 1_000

/** Writes one JSON object per line to standard output, or to `output`. With `sync`, see `standardOutput`. */
export function jsonLog({
  sync = false,
  level = 'info',
  output = standardOutput(sync),
}: {
  sync?: boolean
  level?: LogLevel
  output?: DestinationStream
} = {}): ServerLog {
  const options = { base: undefined, serializers: { error: loggedError }, timestamp: pino.stdTimeFunctions.isoTime }
  return pino({ ...options, level, hooks: { streamWrite: escapeHidden } }, output)
}

/**
 * Standard output for a log. Drops what cannot be written: a full disk or a stopped reader must not stop the server. With `sync`, each line
 * is written before the call returns, for a process that may be frozen or killed after its response.
 */
export function standardOutput(sync = false): DestinationStream {
  // Node makes a pipe non-blocking when this is read first. A write to a pipe that blocks would keep the process from exiting.
  if (!sync) void process.stdout
  let exitAtMs = Number.POSITIVE_INFINITY
  process.prependOnceListener('exit', () => {
    exitAtMs = performance.now()
  })
  const retryEAGAIN = () => performance.now() - exitAtMs < maxFlushMs
  const output = pino.destination({ dest: 1, sync, maxLength: maxWaitingBytes, retryEAGAIN })
  const flushSync = output.flushSync.bind(output)
  output.flushSync = () => {
    try {
      flushSync()
    } catch {
      // Its reader has stopped, and the process must end.
    }
  }
  // pino would retry the write forever at the exit.
  output.on('error', () => {
    output.flushSync = () => undefined
  })
  return output
}
