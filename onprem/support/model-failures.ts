import type { Log } from '../../shared/log.ts'
import { redactError } from './redact-error.ts'

/** Logs that a question was answered without a model. */
export const modelFailures = (log: Pick<Log, 'warn'>) => ({
  embedding: (error: unknown) => log.warn({ error: redactError(error) }, 'a question could not be embedded'),
  reranking: (error: unknown) => log.warn({ error: redactError(error) }, 'the model failed to rerank'),
})
