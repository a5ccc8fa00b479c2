import { type ChildProcess, fork } from 'node:child_process'
import { constants, setPriority } from 'node:os'
import { AppError } from '../../errors.ts'
import { childEnv } from '../../system/child-env.ts'
import { fairLimit } from '../../time/fair-limit.ts'
import type { IsolatedModelRequest, ModelMemoryLimits } from './isolated-model-process.ts'
import type { ModelThreadData } from './load-model.ts'
import { modelCrash } from './model-crash.ts'
import { unusable } from './model-folder.ts'
import type { ModelFailure, ModelReply, ModelTask } from './model-worker.ts'
import { installRuntime } from './runtime.ts'

export type ModelLimits = ModelMemoryLimits & {
  /** Time limit for one request, and for loading the model before the first. */
  requestMs: number
  /** The process is ended after this time without a request. */
  idleMs: number
  /** Requests that wait for their turn. */
  maxWaiting: number
  /** The process only gets what others leave of the processors. */
  isBackground: boolean
}

/**
 * A process that loads a model at its first request and runs one request at a time. A process that takes too long or too much memory is
 * killed, and the next request has a new one.
 */
export type IsolatedModel = {
  /** Throws AppError with one sentence, or the reason of `signal`. */
  run(task: ModelTask, signal: AbortSignal): Promise<ModelReply>
  close(): void
}

type Answer = { resolve(reply: ModelReply): void; reject(error: unknown): void }

export function isolatedModel(model: ModelThreadData, limits: ModelLimits): IsolatedModel {
  const { name } = model.folder
  const turns = fairLimit({ maxRunning: 1, maxWaiting: limits.maxWaiting, rejection: () => busy(name), onIdle: rest })
  let child: ChildProcess | undefined
  let answer: Answer | undefined
  let idle: NodeJS.Timeout | undefined
  let lastId = 0

  function start(): ChildProcess {
    const started = fork(new URL('./isolated-model-process.ts', import.meta.url), {
      execArgv: [],
      env: { ...childEnv(), ...returnMemory },
      serialization: 'advanced',
      stdio: ['ignore', 'ignore', 'ignore', 'ipc'],
    })
    if (limits.isBackground) lowerPriority(started)
    const lose = (why: string, cause?: unknown) => {
      if (child !== started) return
      child = undefined
      answer?.reject(crashed(name, why, cause))
    }
    started.on('message', (reply: ModelReply) => child === started && answer?.resolve(reply))
    started.on('error', (error) => lose(`its process could not be started: ${quote(error.message)}`, error))
    started.on('exit', (_, signal) =>
      lose(signal === null ? 'its process ended' : (endings[signal] ?? `its process got ${signal}`)),
    )
    return started
  }

  async function request(task: ModelTask, signal: AbortSignal): Promise<ModelReply> {
    clearTimeout(idle)
    lastId += 1
    const id = lastId
    child ??= start()
    const current = child
    const replied = new Promise<ModelReply>((resolve, reject) => {
      answer = { resolve, reject }
    })
    const send = (message: IsolatedModelRequest) => current.send(message)
    const cancel = () => send({ cancel: id })
    const timer = setTimeout(() => answer?.reject(tooSlow(name, limits)), limits.requestMs)
    signal.addEventListener('abort', cancel, { once: true })
    keepsAlive(current, true)
    try {
      send({ id, task, model, limits: { heapMb: limits.heapMb, memoryMb: limits.memoryMb } })
      const reply = await replied
      if (!('failed' in reply)) return reply
      if (reply.failed !== 'cancelled') throw failure(name, reply, limits)
    } catch (error) {
      end()
      throw error
    } finally {
      answer = undefined
      clearTimeout(timer)
      signal.removeEventListener('abort', cancel)
      keepsAlive(current, false)
    }
    throw signal.reason
  }

  function end(): void {
    const ended = child
    child = undefined
    ended?.kill('SIGKILL')
  }

  function rest(): void {
    // Work whose caller left before it began has not ended the pause before it.
    clearTimeout(idle)
    idle = setTimeout(end, limits.idleMs)
    idle.unref()
  }

  return {
    run: (task, signal) => turns.run(() => request(task, signal), signal),
    close() {
      clearTimeout(idle)
      answer?.reject(new AppError('temporarily_unavailable', `The model "${name}" was stopped.`))
      end()
    },
  }
}

/** Memory that was used for a text is returned to the system. */
const returnMemory = { MALLOC_ARENA_MAX: '1', MALLOC_MMAP_THRESHOLD_: '1000000', MALLOC_TRIM_THRESHOLD_: '1000000' }

/** Before the process has the threads that compute: they inherit it. */
function lowerPriority({ pid }: ChildProcess): void {
  try {
    if (pid !== undefined) setPriority(pid, constants.priority.PRIORITY_LOW)
  } catch {
    // Some systems forbid it, and the process may have ended.
  }
}

/** Decides if this process stays alive for a child process. */
function keepsAlive(child: ChildProcess, isNeeded: boolean): void {
  for (const handle of [child, child.channel]) {
    if (isNeeded) handle?.ref()
    else handle?.unref()
  }
}

function failure(name: string, { failed, reason }: { failed: ModelFailure; reason: string }, limits: ModelLimits): AppError {
  const quoted = quote(reason)
  switch (failed) {
    case 'package':
      return unusable(`A local model needs two packages, which are not installed; run "${installRuntime}" or see docs/models.md`)
    case 'platform':
      return unusable(
        `Local models do not run here: ${quoted}. They need Linux with glibc, or macOS on arm64; choose a provider for embeddings`,
      )
    case 'model':
      return unusable(`The model "${name}" does not fit: ${quoted}`)
    case 'loading':
      return unusable(`The model "${name}" cannot be loaded: ${quoted}`)
    case 'memory':
      return crash(
        `The model "${name}" needs more than the ${limits.memoryMb} MB of memory that it may use; choose a smaller one, or give the server more memory`,
      )
    case 'heap':
      return crashed(name, `its thread needs more than ${limits.heapMb} MB`)
    case 'crashed':
      return crashed(name, quoted)
    default:
      return crash(`The model "${name}" failed: ${quoted}`)
  }
}

const endings: Partial<Record<NodeJS.Signals, string>> = {
  SIGKILL: 'the system ended its process, perhaps because memory ran out; choose a smaller model, or give the server more memory',
  SIGILL: 'this processor lacks instructions that it needs; choose a provider for embeddings',
}

const crashed = (name: string, why: string, cause?: unknown): AppError => crash(`The model "${name}" crashed: ${why}`, cause)

/** `sentence` has no dot at the end. */
const crash = (sentence: string, cause?: unknown): AppError =>
  modelCrash(new AppError('provider_unavailable', `${sentence}.`, { cause }))

/** The reason as a part of a sentence. */
const quote = (reason: string): string => reason.replace(/\s+/g, ' ').slice(0, 300).replace(/\.$/, '')

const tooSlow = (name: string, { requestMs }: ModelLimits): AppError =>
  new AppError('timeout', `The model "${name}" did not respond within ${requestMs / 1000} s.`, { retry: 'limited' })

const busy = (name: string): AppError =>
  new AppError('rate_limit_exceeded', `Too many texts wait for the model "${name}".`, { retry: 'limited' })
