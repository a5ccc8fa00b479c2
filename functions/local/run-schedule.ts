import { setTimeout as pause } from 'node:timers/promises'
import { type CheckRoundPorts, checkRound } from '../freshness/check-round.ts'
import { type SchedulePorts, schedule } from '../jobs/schedule.ts'

export type LocalSchedulePorts = SchedulePorts &
  CheckRoundPorts & {
    /** Reads the whole table. Called once an hour, and never when a command opens the data directory for a moment. */
    forgetExpired(signal: AbortSignal): Promise<void>
  }

const defaultRoundMs = 60_000
const firstForgetRound = 10
const roundsPerHour = 60

/** Runs the scheduled tasks immediately and then once a minute. `stop` waits for the current round. */
export function runSchedule(ports: LocalSchedulePorts, { roundMs = defaultRoundMs } = {}): { stop(): Promise<void> } {
  const stopping = new AbortController()
  const { signal } = stopping
  const runTasks = schedule(ports)
  const loop = async () => {
    for (let round = 0; !signal.aborted; round++) {
      // Failures are logged already.
      await runTasks().catch(() => undefined)
      await compare()
      if (round % roundsPerHour === firstForgetRound) await forget()
      await pause(roundMs, undefined, { signal, ref: false }).catch(() => undefined)
    }
  }
  const compare = () =>
    checkRound(ports, signal).catch((error: unknown) => {
      if (!signal.aborted) ports.log.error({ error }, 'libraries could not be compared with their repositories')
    })
  const forget = () =>
    ports
      .forgetExpired(signal)
      .catch((error: unknown) => ports.log.error({ error }, 'expired objects and items could not be deleted'))
  const done = loop()
  return {
    async stop() {
      stopping.abort()
      await done
    },
  }
}
