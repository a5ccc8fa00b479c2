/** What a provider takes; a request that asks for more is refused by it. */
export type EmbedderLimits = {
  /** Texts of one request. */
  batchTexts: number
  /** Tokens of one request. */
  batchTokens: number
  /** Tokens of one text: what is longer is cut. */
  textTokens: number
  /** Requests under way at once. */
  requestsAtOnce: number
}

/** Which vectors may be compared with each other: those of one model at one address, of one length. */
export type VectorSpace = {
  /** Provider, address and model, as one text. */
  model: string
  dimensions: number
}

/** Turns texts into vectors of one model. One call is one request to its provider. */
export type Embedder = {
  /** Names the vectors: provider, address, model and the dimensions that were asked for, as one text. */
  readonly model: string
  /** Undefined until the first answer where the settings do not say. */
  readonly dimensions: number | undefined
  readonly limits: EmbedderLimits
  /**
   * As many vectors as texts, in their order, checked for length and finite numbers. Throws AppError: transient, with `retryAfterMs` where the
   * provider says so, for what may pass by itself; else what the provider says is wrong, in one sentence without the key.
   */
  embed(texts: string[], purpose: 'document' | 'query', signal?: AbortSignal): Promise<Float32Array[]>
}
