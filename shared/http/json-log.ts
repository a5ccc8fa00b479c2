import { pino } from 'pino'
import type { Log } from '../log.ts'

const maxWaitingBytes = 1024 * 1024

/**
 * One JSON object a line on standard output. What that cannot take is lost: a full disk or a stopped reader must not stop the server. `sync`
 * has each line written before the call returns, for a process that may be frozen or killed as soon as it has answered.
 */
export function jsonLog({ sync = false } = {}): Log {
  const output = pino.destination({ dest: 1, sync, maxLength: maxWaitingBytes })
  // At the end it would try for ever to write what cannot be written.
  output.on('error', () => {
    output.flushSync = () => undefined
  })
  return pino(
    { base: undefined, serializers: { error: pino.stdSerializers.err }, timestamp: pino.stdTimeFunctions.isoTime },
    output,
  )
}
