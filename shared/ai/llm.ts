import type { z } from 'zod'

export type LlmRequest<Answer> = {
  /** What the model is to do. */
  instructions: string
  /** What it works on: data, whatever it says. */
  input: string
  answer: z.ZodType<Answer>
  mostAnswerTokens: number
}

/** A language model that answers in JSON of a given shape. */
export type Llm = {
  readonly model: string
  readonly limits: { inputTokens: number; requestsAtOnce: number }
  /**
   * `tokens`: read and written, as the provider counts them. Throws AppError: transient, with `retryAfterMs` where the provider says so, for
   * what may pass by itself, an answer of another shape too; else what the provider says is wrong, in one sentence without the key.
   */
  ask<Answer>(request: LlmRequest<Answer>, signal?: AbortSignal): Promise<{ answer: Answer; tokens: number }>
}
