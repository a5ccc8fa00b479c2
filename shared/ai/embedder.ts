/** The limits of a provider, which rejects larger requests. */
export type EmbedderLimits = {
  /** Texts per request. */
  batchTexts: number
  /** Tokens per request. */
  batchTokens: number
  /** Tokens per text; longer texts are cut. */
  textTokens: number
  /** Concurrent requests. */
  requestsAtOnce: number
}

/** Vectors that can be compared with each other: of one model at one address, of one length. */
export type VectorSpace = {
  /** Provider, address and model, as one text. */
  model: string
  dimensions: number
}

/** How questions use the vectors of a model. */
export type VectorSearch = {
  /** The weight of their similarity in the order of an answer, in units of the best BM25 score. */
  weight: number
  /** True if questions in other languages must be translated first. */
  readsOnlyEnglish: boolean
}

/** Turns texts into vectors of one model. One call is one request to its provider. */
export type Embedder = {
  /** The name of the vector space: provider, address, model and requested dimensions, as one text. */
  readonly model: string
  /** The length of the vectors; undefined until the first response if the settings do not name it. */
  readonly dimensions: number | undefined
  readonly limits: EmbedderLimits
  readonly search: VectorSearch
  /**
   * One vector per text, in their order, checked for length and finite numbers. Throws AppError with the provider's reason in one sentence,
   * without the key. It is transient if a retry may succeed, with `retryAfterMs` if the provider sends it.
   */
  embed(texts: string[], purpose: 'document' | 'query', signal?: AbortSignal): Promise<Float32Array[]>
}
