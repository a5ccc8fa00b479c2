import type { z } from 'zod'

export type LlmRequest<Answer> = {
  /** What the model is to do. */
  instructions: string
  /** What it works on: data, whatever it says. */
  input: string
  answer: z.ZodType<Answer>
  maxAnswerTokens: number
}

const costs = new WeakMap<object, number>()

/** An answer that was paid for, also where it cannot be read. */
export function paidAnswer<Answer>(tokens: number, read: () => Answer): { answer: Answer; tokens: number } {
  try {
    return { answer: read(), tokens }
  } catch (error) {
    if (error instanceof Error) costs.set(error, tokens)
    throw error
  }
}

/** The tokens of an answer that could not be read; none where there was no answer. */
export const costOf = (error: unknown): number => (error instanceof Error ? (costs.get(error) ?? 0) : 0)

/** A language model that answers in JSON of a given shape. */
export type Llm = {
  readonly model: string
  readonly limits: { inputTokens: number; requestsAtOnce: number }
  /**
   * `tokens`: read and written, as the provider counts them. Throws AppError: transient, with `retryAfterMs` where the provider says so, for
   * what may pass by itself, an answer of another shape too, of which `costOf` tells the tokens; else what the provider says is wrong, in one
   * sentence without the key.
   */
  ask<Answer>(request: LlmRequest<Answer>, signal?: AbortSignal): Promise<{ answer: Answer; tokens: number }>
}
