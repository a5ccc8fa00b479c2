import { join } from 'node:path'
import { setTimeout as wait } from 'node:timers/promises'
import pLimit from 'p-limit'
import { AppError } from '../errors.ts'
import type { Log } from '../log.ts'
import { UnreadableContent } from '../search/rows/unreadable-content.ts'
import { asMachineError } from '../system/machine-error.ts'
import { isLancePanic } from './is-lance-panic.ts'
import { readRecord } from './read-record.ts'

/**
 * Records which generations are being read, because LanceDB crashes the process on some damaged files. Content that was being read when a process
 * died is checked by `probe` before it is read again, and content that fails the check is not read until it is dropped. Content that makes LanceDB
 * panic is treated the same: the panic may have corrupted memory, so that the process dies later.
 */
export type ReadGuard = {
  /** Waits a while for a running check. Throws search_failed if the generation is damaged or not checked yet. */
  read<T>(generation: string, work: () => Promise<T>): Promise<T>
  /** Call it when the generation is dropped. */
  forget(generation: string): void
  /** Generations that are not read because they are damaged, or could not be checked. */
  damaged(): string[]
  unchecked(): string[]
  /** Resolves when the checks of the generations that were suspected at the start have ended. */
  checked: Promise<void>
  close(): void
}

export type Verdict = 'readable' | 'damaged' | 'unknown'
type Probe = (generation: string) => Promise<Verdict>
/** The next process suspects unchecked content again. */
type State = 'suspected' | 'unchecked' | 'damaged'

const maxProbes = 3

/**
 * Reads wait for a check until `maxWaitMs` after its start, then they fail, because others wait for their places. If the file of the guard cannot be
 * written, for example on a full disk, reads continue without this protection. A check without a verdict is repeated after `retryMs`, because its
 * cause, such as lack of memory, may be over.
 */
export function readGuard(
  dataDir: string,
  probe: Probe,
  log: Pick<Log, 'warn' | 'error'>,
  { maxWaitMs = 10_000, retryMs = 10_000 } = {},
): ReadGuard {
  let isWarned = false
  const warn = (error: unknown) => {
    if (!isWarned)
      log.warn(
        { error: asMachineError(error, dataDir) },
        'the record of content being read cannot be written: damaged content may crash the server again',
      )
    isWarned = true
  }
  const record = readRecord(join(dataDir, 'reads'), warn)
  const states = statesIn(record.before)
  /** The number of readers of each generation. */
  const readers = new Map<string, number>()
  const save = () => record.write([...[...readers.keys()].map((each) => [each, 'read']), ...states].map(lineOf).join(''))
  const addReader = (generation: string, count: 1 | -1) => {
    const total = (readers.get(generation) ?? 0) + count
    if (total > 0) readers.set(generation, total)
    else readers.delete(generation)
    if (!closed) save()
  }
  save()
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
  /** Other generations are checked between two probes of one generation. */
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
    // Damaged content may have been restored from a backup.
    checked: Promise.all([...states.keys()].map(startCheck)).then(() => undefined),
    async read(generation, work) {
      if (states.get(generation) === 'suspected') await waitForCheck(generation)
      const state = states.get(generation)
      if (state) throw refusals[state]()
      if (closed) return work()
      addReader(generation, 1)
      try {
        return await work()
      } catch (error) {
        if (isLancePanic(error)) suspect(generation)
        throw error
      } finally {
        addReader(generation, -1)
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
      readers.clear()
      save()
      record.close()
    },
  }
}

/** A line for each generation: its name, and why it is listed. */
const lineOf = (line: readonly string[]): string => `${line.join(' ')}\n`

const statesIn = (text: string): Map<string, State> =>
  new Map(
    [...text.matchAll(/^(\S+) (\w+)$/gm)].map(([, generation = '', state]) => [
      generation,
      state === 'damaged' ? 'damaged' : 'suspected',
    ]),
  )

const refusals: Record<State, () => AppError> = {
  suspected: () =>
    new AppError(
      'temporarily_unavailable',
      'The server crashed or failed while reading it, so it is being checked. Ask again in a moment.',
      {
        retry: 'limited',
        retryAfterMs: 5_000,
      },
    ),
  unchecked: () =>
    new UnreadableContent(
      'search_failed',
      'It could not be checked for damage and is not read until the next start of the server.',
      {
        parsed: 'Restart the server, refresh the library, or import it again with force.',
        imported: 'Restart the server, or import it again with force.',
      },
    ),
  damaged: () =>
    new UnreadableContent('data_damaged', 'Its files are damaged, and reading them may crash the server.', {
      parsed: 'Refresh the library, or import it again with force.',
      imported: 'Import it again with force.',
    }),
}
