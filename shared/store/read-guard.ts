import { existsSync, readFileSync, renameSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { setTimeout as wait } from 'node:timers/promises'
import pLimit from 'p-limit'
import { AppError } from '../errors.ts'
import type { Log } from '../log.ts'
import { isLancePanic } from './is-lance-panic.ts'
import { readSlots } from './read-slots.ts'

/**
 * Remembers which generations are being read, since LanceDB ends the whole process over some damaged files. What was being read when a
 * process died is checked by `probe` before this one reads it, and what fails stays unread until it is dropped. So does what makes LanceDB
 * panic: it may have written beyond its memory already, and then the process dies later.
 */
export type ReadGuard = {
  /** Waits a while for a check that runs. Throws search_failed if the generation is damaged, or is still to be checked. */
  read<T>(generation: string, work: () => Promise<T>): Promise<T>
  /** The generation was dropped. */
  forget(generation: string): void
  /** Generations that are not read since they are damaged, and those that could not be checked. */
  damaged(): string[]
  unchecked(): string[]
  /** Ends when all that was suspected at the start has been checked, or could not be. */
  checked: Promise<void>
  close(): void
}

export type Verdict = 'readable' | 'damaged' | 'unknown'
type Probe = (generation: string) => Promise<Verdict>
/** What could not be checked is suspected again by the next process. */
type State = 'suspected' | 'unchecked' | 'damaged'

const maxProbes = 3

/**
 * Reads wait for a check until `maxWaitMs` after it was asked for, and are refused then: they hold places that others wait for. The guard protects less if its files cannot be written, for example on a full disk. Reads continue then. A check without a verdict is
 * repeated after `retryMs`, since what prevented it, such as too little memory, may have passed.
 */
export function readGuard(
  dataDir: string,
  probe: Probe,
  log: Pick<Log, 'warn' | 'error'>,
  { maxWaitMs = 10_000, retryMs = 10_000 } = {},
): ReadGuard {
  const [readsPath, statesPath] = [join(dataDir, 'reads'), join(dataDir, 'damaged-content')]
  const states = readStates(statesPath)
  for (const generation of words(readsPath)) states.set(generation, 'suspected')
  let isWarned = false
  const warn = (error: unknown) => {
    if (!isWarned)
      log.warn({ error }, 'the record of content being read cannot be written: damaged content may end the server again')
    isWarned = true
  }
  const save = (): boolean => {
    try {
      writeFileSync(`${statesPath}.new`, [...states].map((each) => `${each.join(' ')}\n`).join(''), { mode: 0o600 })
      renameSync(`${statesPath}.new`, statesPath)
      return true
    } catch (error) {
      warn(error)
      return false
    }
  }
  const isSaved = states.size === 0 || save()
  const slots = readSlots(readsPath, { keepNames: !isSaved, onError: warn })
  const oneByOne = pLimit(1)
  let closed = false

  const inState = (wanted: State) => [...states].filter(([, state]) => state === wanted).map(([generation]) => generation)
  const judge = (generation: string, verdict: Verdict, error?: unknown) => {
    if (closed || !states.has(generation)) return
    if (verdict === 'readable') states.delete(generation)
    else if (verdict === 'damaged') states.set(generation, 'damaged')
    else if (states.get(generation) !== 'damaged') states.set(generation, 'unchecked')
    save()
    if (verdict === 'damaged')
      log.error({ generation }, 'content is damaged: it is not read until its library is refreshed or imported again')
    if (verdict === 'unknown')
      log.error({ generation, error }, 'content could not be checked for damage: it is not read until the next start checks it')
  }
  /** Others are checked between two probes of one generation. */
  const check = async (generation: string) => {
    for (let probes = 1; ; probes++) {
      let failure: unknown
      const verdict = await oneByOne(probe, generation).catch((error: unknown): Verdict => {
        failure = error
        return 'unknown'
      })
      if (verdict !== 'unknown' || probes === maxProbes) return judge(generation, verdict, failure)
      await wait(retryMs, undefined, { ref: false })
      if (closed || !states.has(generation)) return
    }
  }
  const running = new Map<string, { ended: Promise<void>; waitUntil: number }>()
  const startCheck = (generation: string): Promise<void> => {
    const ended = check(generation).finally(() => running.delete(generation))
    running.set(generation, { ended, waitUntil: performance.now() + maxWaitMs })
    return ended
  }
  const waitForCheck = async (generation: string) => {
    const { ended, waitUntil = 0 } = running.get(generation) ?? {}
    const waitMs = waitUntil - performance.now()
    if (waitMs > 0) await Promise.race([ended, wait(waitMs, undefined, { ref: false })])
  }
  const suspect = (generation: string) => {
    if (closed || states.has(generation)) return
    states.set(generation, 'suspected')
    save()
    void startCheck(generation)
  }
  return {
    // What was damaged before may have been restored from a backup.
    checked: Promise.all([...states.keys()].map(startCheck)).then(() => undefined),
    async read(generation, work) {
      if (states.get(generation) === 'suspected') await waitForCheck(generation)
      const state = states.get(generation)
      if (state) throw refusals[state]()
      if (closed) return work()
      const slot = slots.fill(generation)
      try {
        return await work()
      } catch (error) {
        if (isLancePanic(error)) suspect(generation)
        throw error
      } finally {
        slots.clear(slot)
      }
    },
    forget(generation) {
      if (states.delete(generation)) save()
    },
    damaged: () => inState('damaged'),
    unchecked: () => inState('unchecked'),
    close() {
      if (closed) return
      closed = true
      slots.close()
    },
  }
}

function readStates(path: string): Map<string, State> {
  const all = words(path)
  const states = new Map<string, State>()
  for (let i = 0; i + 1 < all.length; i += 2) states.set(String(all[i]), all[i + 1] === 'damaged' ? 'damaged' : 'suspected')
  return states
}

const words = (path: string): string[] => (existsSync(path) ? (readFileSync(path, 'utf8').match(/[^\s\0]+/g) ?? []) : [])

const refusals: Record<State, () => AppError> = {
  suspected: () =>
    new AppError(
      'search_failed',
      'The server ended or failed while it was read, so it is checked first. Ask again in a moment.',
      {
        transient: true,
      },
    ),
  unchecked: () =>
    new AppError(
      'search_failed',
      'It could not be checked for damage, and is not read until the next start of the server checks it. Restart the server, refresh the library, or import it again with force.',
    ),
  damaged: () =>
    new AppError(
      'search_failed',
      'Its files are damaged, and reading them may end the server. Refresh the library, or import it again with force.',
    ),
}
