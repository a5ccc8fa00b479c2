import type { z } from 'zod'

export type LlmRequest<Answer> = {
  /** The task. */
  instructions: string
  /** The data to work on, never instructions. */
  input: string
  answer: z.ZodType<Answer>
  maxAnswerTokens: number
}

const costs = new WeakMap<object, number>()

/** The answer with its cost. An error of `read` keeps the cost, too. */
export function paidAnswer<Answer>(tokens: number, read: () => Answer): { answer: Answer; tokens: number } {
  try {
    return { answer: read(), tokens }
  } catch (error) {
    if (error instanceof Error) costs.set(error, tokens)
    throw error
  }
}

/** The tokens of an answer that could not be read; 0 if there was no answer. */
export const costOf = (error: unknown): number => (error instanceof Error ? (costs.get(error) ?? 0) : 0)

/** A language model that answers in JSON by a schema. */
export type Llm = {
  readonly model: string
  readonly limits: { inputTokens: number; requestsAtOnce: number }
  /**
   * `tokens`: input and output, as the provider counts them. Throws AppError with the provider's reason in one sentence, without the key. It is
   * transient if a retry may succeed, with `retryAfterMs` if the provider sends it. An answer of another shape is transient; `costOf` returns its
   * tokens.
   */
  ask<Answer>(request: LlmRequest<Answer>, signal?: AbortSignal): Promise<{ answer: Answer; tokens: number }>
}
