import { setTimeout as pause } from 'node:timers/promises'
import { type SchedulePorts, schedule } from '../jobs/schedule.ts'

export type LocalSchedulePorts = SchedulePorts & {
  /** Reads the whole table: it is called each hour, and never for a command that opens the data directory for a moment. */
  forgetExpired(signal: AbortSignal): Promise<void>
}

const everyMs = 60_000
const firstForgettingRound = 10
const roundsOfAnHour = 60

/** Does at once and then each minute what a stage does by the clock. `stop` waits for the round in hand. */
export function runSchedule(ports: LocalSchedulePorts, { roundMs = everyMs } = {}): { stop(): Promise<void> } {
  const stopping = new AbortController()
  const { signal } = stopping
  const runSchedule = schedule(ports)
  const loop = async () => {
    for (let round = 0; !signal.aborted; round++) {
      // What failed stands in the log.
      await runSchedule().catch(() => undefined)
      if (round % roundsOfAnHour === firstForgettingRound) await forget()
      await pause(roundMs, undefined, { signal, ref: false }).catch(() => undefined)
    }
  }
  const forget = () =>
    ports
      .forgetExpired(signal)
      .catch((error: unknown) => ports.log.error({ error }, 'what is past its time could not be removed'))
  const done = loop()
  return {
    async stop() {
      stopping.abort()
      await done
    },
  }
}
