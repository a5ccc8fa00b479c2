import { pino } from 'pino'
import type { Log } from '../log.ts'

const maxWaitingBytes = 1024 * 1024

/**
 * Writes one JSON object per line to standard output. Drops lines that cannot be written: a full disk or a stopped reader must not stop the
 * server. With `sync`, each line is written before the call returns, for a process that may be frozen or killed after its response.
 */
export function jsonLog({ sync = false } = {}): Log {
  const output = pino.destination({ dest: 1, sync, maxLength: maxWaitingBytes })
  // At exit, pino would retry the write forever.
  output.on('error', () => {
    output.flushSync = () => undefined
  })
  return pino(
    { base: undefined, serializers: { error: pino.stdSerializers.err }, timestamp: pino.stdTimeFunctions.isoTime },
    output,
  )
}
