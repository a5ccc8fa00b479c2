import type { Ai } from '../../shared/ai/ai.ts'
import { AppError, isTransient } from '../../shared/errors.ts'
import type { ParseRequest } from '../../shared/indexing/index-job.ts'
import type { PreviewLimits } from '../../shared/indexing/limits.ts'
import { type PreviewParse, type PreviewPorts, previewRepository } from '../../shared/indexing/preview-repository.ts'
import { fairLimit } from '../../shared/time/fair-limit.ts'
import { abortAfter } from '../../shared/time/with-timeout.ts'
import type { InstallCatalog } from '../store/catalog/sqlite-catalog.ts'
import type { JobStore } from '../store/jobs/job-store.ts'
import { checkParse } from './read-parse-request.ts'

type PreviewParsePorts = Omit<PreviewPorts, 'catalog'> & {
  catalog: Pick<InstallCatalog, 'find' | 'versions' | 'settings'>
  jobs: Pick<JobStore, 'activeOf' | 'order' | 'unserved'>
  ai: Pick<Ai, 'llm'>
  /** Aborts when the server stops. */
  stopping: AbortSignal
}

export function openPreviews(ports: PreviewParsePorts, limits: PreviewLimits): PreviewParse {
  const { cloneBytes, timeMs, maxRunning, maxWaiting, maxWaitMs } = limits
  const line = fairLimit({ maxRunning, maxWaiting, maxWaitMs, rejection: tooMany })
  const { clone, list } = ports.limits
  const lower = {
    ...ports.limits,
    clone: { ...clone, cloneBytes: Math.min(cloneBytes, clone.cloneBytes), timeMs: Math.min(timeMs, clone.timeMs) },
    list: { ...list, timeMs: Math.min(timeMs, list.timeMs) },
  }
  const run = (request: ParseRequest, signal: AbortSignal) =>
    abortAfter({ maxMs: timeMs, error: () => tooSlow(timeMs) }, (late) =>
      previewRepository({ ...ports, limits: lower }, checkParse(ports, request), AbortSignal.any([signal, late])),
    )
  return async (request, caller) => {
    checkParse(ports, request)
    const signal = AbortSignal.any([caller, ports.stopping])
    return line.run(() => run(request, signal), signal).catch((error: unknown) => Promise.reject(withAdvice(error)))
  }
}

const tooMany = (): AppError =>
  new AppError('rate_limit_exceeded', 'Too many repositories are being previewed. Try again in a few seconds.', {
    retryAfterMs: 5_000,
  })

const tooSlow = (timeMs: number): AppError =>
  new AppError('timeout', `The preview took longer than ${timeMs / 1000} s and was stopped.`)

/** A repository over a limit of the preview may be within those of a parse. */
function withAdvice(error: unknown): unknown {
  if (!(error instanceof AppError)) return error
  const { code, message } = error
  if (isTransient(error) || (code !== 'library_too_large' && code !== 'timeout')) return error
  const advice = 'A preview has lower limits: the repository can be added without one.'
  return new AppError(code, `${message} ${advice}`, { cause: error })
}
