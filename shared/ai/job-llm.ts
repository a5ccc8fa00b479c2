import pLimit from 'p-limit'
import { AppError, isTransient } from '../errors.ts'
import { countTokens } from '../text/count-tokens.ts'
import { costOf, type Llm, type LlmRequest } from './llm.ts'
import { isRefusal } from './provider-refusal.ts'
import { type RetryPolicy, retryPolicy, withRetries } from './retry-policy.ts'

export type JobLlmLimits = { jobTokens: number; jobMs: number }

/** A language model with the budget of one job. Retries requests, and stops after repeated failures. */
export type JobLlm = Pick<Llm, 'model' | 'limits'> & {
  /** Tokens, including earlier attempts of the job. */
  spent(): number
  /** The reason why it is no longer used. */
  ended(): AppError | undefined
  /** The error of the latest failed request. */
  failure(): AppError | undefined
  /** True if it has answered a request of this job. */
  hasAnswered(): boolean
  /** Sends no more requests. Resolves when those in flight have ended, so that `spent` is final. */
  close(): Promise<void>
  /**
   * Returns undefined if the model is no longer used or the request failed. The caller then continues without it. `onRefusal` is
   * called if the provider rejects the content of the request: it may accept a part.
   */
  ask<Answer>(request: LlmRequest<Answer>, onRefusal?: () => void): Promise<Answer | undefined>
}

type JobLlmOptions = {
  limits: JobLlmLimits
  spentTokens: number
  /** Called with the total after each response. */
  onSpent?(tokens: number): void
  signal: AbortSignal
  /** Reports once why it is no longer used. */
  say(line: string): void
  retries?: RetryPolicy
}

const maxFailures = 3
/** Halving a batch of 20 until its one rejected item is known takes fewer. */
const maxRefusals = 10

export function jobLlm(llm: Llm, { limits, spentTokens, onSpent, signal, say, retries = retryPolicy }: JobLlmOptions): JobLlm {
  const inTurn = pLimit(Math.max(1, llm.limits.requestsAtOnce))
  const tries = withRetries(retries, signal)
  const began = performance.now()
  let spent = spentTokens
  let reserved = 0
  let failures = 0
  let refusals = 0
  let answered = false
  let end: AppError | undefined
  let latest: AppError | undefined
  let closed = false
  const inFlight = new Set<Promise<unknown>>()

  const endWith = (why: AppError) => {
    if (end) return
    end = why
    say(`The language model is no longer used: ${why.message}`)
  }
  const spend = (tokens: number) => {
    spent += tokens
    onSpent?.(spent)
  }
  const countCost = (error: unknown): never => {
    spend(costOf(error))
    throw error
  }
  const failed = (error: unknown) => {
    const appError =
      error instanceof AppError ? error : new AppError('internal_error', 'It failed unexpectedly.', { cause: error })
    latest = appError
    if (isRefusal(appError)) {
      refusals += 1
      if (refusals >= maxRefusals) endWith(appError)
      return
    }
    failures += 1
    if (!isTransient(appError) || failures >= maxFailures) endWith(appError)
  }

  return {
    model: llm.model,
    limits: llm.limits,
    spent: () => spent,
    ended: () => end,
    failure: () => latest,
    hasAnswered: () => answered,
    async close() {
      closed = true
      await Promise.allSettled(inFlight)
    },
    ask(request, onRefusal) {
      const asked = inTurn(async () => {
        if (end || closed || signal.aborted) return undefined
        const estimate = countTokens(request.instructions + request.input) + request.maxAnswerTokens
        if (spent + reserved + estimate > limits.jobTokens) endWith(usedUp(`budget of ${limits.jobTokens} tokens`))
        else if (performance.now() - began > limits.jobMs) endWith(usedUp(`time of ${limits.jobMs / 60_000} minutes`))
        if (end) return undefined
        reserved += estimate
        try {
          const { answer, tokens } = await tries(() => llm.ask(request, signal).catch(countCost))
          spend(tokens)
          failures = refusals = 0
          answered = true
          return answer
        } catch (error) {
          if (signal.aborted) return undefined
          failed(error)
          if (isRefusal(error)) onRefusal?.()
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

const usedUp = (what: string) => new AppError('spending_limit_exceeded', `the ${what} is used up; the rest stays as it is.`)
