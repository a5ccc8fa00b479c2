import { Worker } from 'node:worker_threads'
import { AppError } from '../../errors.ts'
import { childEnv } from '../../system/child-env.ts'
import { fairLimit, type Line } from '../../time/fair-limit.ts'
import type { ModelThreadData } from './load-model.ts'
import { unusable } from './model-folder.ts'
import type { ModelFailure, ModelMessage, ModelReply, ModelTask } from './model-worker.ts'
import { transformersPackage, transformersVersion } from './transformers.ts'

export type ModelThreadLimits = {
  /** For one request, and for loading the model before the first. */
  requestMs: number
  /** After that time without a request, the model's memory is freed. */
  idleMs: number
  /** Requests that wait for their turn. */
  maxWaiting: number
  /** Of the thread's JavaScript, which holds the tokenizer. The model itself is outside of it. */
  heapMb: number
}

/** A thread that loads a model at its first request and runs one request at a time. The two lines are served in turn. */
export type ModelThread = {
  /** Throws AppError with one sentence, or the reason of `signal`. */
  run(task: ModelTask, line: Line, signal: AbortSignal): Promise<ModelReply>
  close(): Promise<void>
}

type Answer = { resolve(reply: ModelReply): void; reject(error: unknown): void }

export function modelThread(data: ModelThreadData, limits: ModelThreadLimits): ModelThread {
  const { name } = data.folder
  const turns = fairLimit({ maxRunning: 1, maxWaiting: limits.maxWaiting, rejection: () => busy(name), onIdle: rest })
  let worker: Worker | undefined
  let answer: Answer | undefined
  let idle: NodeJS.Timeout | undefined
  let lastId = 0

  function start(): Worker {
    const resourceLimits = { maxOldGenerationSizeMb: limits.heapMb }
    const started = new Worker(new URL('./model-worker.ts', import.meta.url), {
      workerData: data,
      env: childEnv(),
      resourceLimits,
    })
    const isCurrent = () => worker === started
    started.on('message', (reply: ModelReply) => isCurrent() && answer?.resolve(reply))
    started.on('error', (error) => isCurrent() && answer?.reject(crashed(name, error, limits)))
    started.on('exit', () => {
      if (!isCurrent()) return
      worker = undefined
      answer?.reject(crashed(name, new Error('it ended'), limits))
    })
    return started
  }

  async function request(task: ModelTask, signal: AbortSignal): Promise<ModelReply> {
    clearTimeout(idle)
    lastId += 1
    const id = lastId
    worker ??= start()
    const current = worker
    const replied = new Promise<ModelReply>((resolve, reject) => {
      answer = { resolve, reject }
    })
    const send = (message: ModelMessage) => current.postMessage(message)
    const cancel = () => send({ cancel: id })
    const timer = setTimeout(() => answer?.reject(tooSlow(name, limits)), limits.requestMs)
    signal.addEventListener('abort', cancel, { once: true })
    current.ref()
    try {
      send({ id, task })
      const reply = await replied
      if (!('failed' in reply)) return reply
      if (reply.failed === 'cancelled') throw signal.reason
      throw failure(name, reply)
    } catch (error) {
      // The next request has a new thread.
      if (!signal.aborted) await end()
      throw error
    } finally {
      answer = undefined
      clearTimeout(timer)
      signal.removeEventListener('abort', cancel)
      current.unref()
    }
  }

  async function end(): Promise<void> {
    const ending = worker
    worker = undefined
    await ending?.terminate()
  }

  function rest(): void {
    idle = setTimeout(() => {
      worker?.postMessage('end' satisfies ModelMessage)
      worker = undefined
    }, limits.idleMs)
    idle.unref()
  }

  return {
    run: (task, line, signal) => turns.run(() => request(task, signal), signal, line),
    async close() {
      clearTimeout(idle)
      answer?.reject(unusable(`The model "${name}" was stopped`))
      await end()
    },
  }
}

function failure(name: string, { failed, reason }: { failed: ModelFailure; reason: string }): AppError {
  const quoted = quote(reason)
  if (failed === 'package')
    return unusable(
      `A local model needs the package ${transformersPackage}, which is not installed; run "npm install --global --ignore-scripts ${transformersPackage}@${transformersVersion}" or see docs/models.md`,
    )
  if (failed === 'model') return unusable(`The model "${name}" does not fit: ${quoted}`)
  if (failed === 'loading') return unusable(`The model "${name}" cannot be loaded: ${quoted}`)
  return unusable(`The model "${name}" failed: ${quoted}`)
}

const crashed = (name: string, error: Error & { code?: string }, { heapMb }: ModelThreadLimits): AppError => {
  const why = error.code === 'ERR_WORKER_OUT_OF_MEMORY' ? `its thread needs more than ${heapMb} MB` : quote(error.message)
  return unusable(`The model "${name}" crashed: ${why}`, error)
}

/** As a part of a sentence. */
const quote = (reason: string): string => reason.replace(/\s+/g, ' ').slice(0, 300).replace(/\.$/, '')

const tooSlow = (name: string, { requestMs }: ModelThreadLimits): AppError =>
  new AppError('timeout', `The model "${name}" did not respond within ${requestMs / 1000} s.`, { transient: true })

const busy = (name: string): AppError =>
  new AppError('rate_limit_exceeded', `Too many texts wait for the model "${name}".`, { transient: true })
