import pLimit from 'p-limit'
import { AppError } from '../errors.ts'
import { countTokens } from '../text/count-tokens.ts'
import { costOf, type Llm, type LlmRequest } from './llm.ts'
import { type RetryPolicy, retryPolicy, withRetries } from './retry-policy.ts'

export type JobLlmLimits = { jobTokens: number; jobMs: number }

/** A language model in the hands of one job: within its budget, tried again, and given up where it fails. */
export type JobLlm = Pick<Llm, 'model' | 'limits'> & {
  /** Tokens, those of the job's earlier attempts included. */
  spent(): number
  /** Why it is not asked any more. */
  ended(): AppError | undefined
  /** Why the latest request that failed has no answer. */
  failure(): AppError | undefined
  /** Sends no more requests; resolves when those in flight are answered, so that `spent` is final. */
  close(): Promise<void>
  /** Undefined where the model is not asked any more, or has no answer to this: what it was to better stays as it is. */
  ask<Answer>(request: LlmRequest<Answer>): Promise<Answer | undefined>
}

type Setup = {
  limits: JobLlmLimits
  spentTokens: number
  /** Called with the sum after each answer. */
  onSpent?(tokens: number): void
  signal: AbortSignal
  /** Is told once why it is not asked any more. */
  say(line: string): void
  patience?: RetryPolicy
}

const maxFailures = 3

export function jobLlm(llm: Llm, { limits, spentTokens, onSpent, signal, say, patience: pauses = retryPolicy }: Setup): JobLlm {
  const inTurn = pLimit(Math.max(1, llm.limits.requestsAtOnce))
  const tries = withRetries(pauses, signal)
  const began = performance.now()
  let spent = spentTokens
  let reserved = 0
  let failures = 0
  let end: AppError | undefined
  let latest: AppError | undefined
  let closed = false
  const inFlight = new Set<Promise<unknown>>()

  const endWith = (why: AppError) => {
    if (end) return
    end = why
    say(`The language model is not asked any more: ${why.message}`)
  }
  const spend = (tokens: number) => {
    spent += tokens
    onSpent?.(spent)
  }
  const paid = (error: unknown): never => {
    spend(costOf(error))
    throw error
  }
  const failed = (error: unknown) => {
    failures += 1
    const known = error instanceof AppError ? error : new AppError('internal_error', 'It failed unexpectedly.', { cause: error })
    latest = known
    if (!known.transient || failures >= maxFailures) endWith(known)
  }

  return {
    model: llm.model,
    limits: llm.limits,
    spent: () => spent,
    ended: () => end,
    failure: () => latest,
    async close() {
      closed = true
      await Promise.allSettled(inFlight)
    },
    ask(request) {
      const asked = inTurn(async () => {
        if (end || closed || signal.aborted) return undefined
        const estimate = countTokens(request.instructions + request.input) + request.maxAnswerTokens
        if (spent + reserved + estimate > limits.jobTokens) endWith(usedUp(`budget of ${limits.jobTokens} tokens`))
        else if (performance.now() - began > limits.jobMs) endWith(usedUp(`time of ${limits.jobMs / 60_000} minutes`))
        if (end) return undefined
        reserved += estimate
        try {
          const { answer, tokens } = await tries(() => llm.ask(request, signal).catch(paid))
          spend(tokens)
          failures = 0
          return answer
        } catch (error) {
          if (!signal.aborted) failed(error)
          return undefined
        } finally {
          reserved -= estimate
        }
      })
      inFlight.add(asked)
      return asked.finally(() => inFlight.delete(asked))
    },
  }
}

const usedUp = (what: string) => new AppError('internal_error', `the ${what} is used up; the rest stays as it is.`)
