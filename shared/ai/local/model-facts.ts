/** The use of a local model: a sentence encoder embeds, a cross-encoder reranks. */
export type LocalUse = 'embedding' | 'reranking'

/** How texts become the input of a model, and its output a vector. */
export type ModelFacts = {
  pooling: 'mean' | 'cls'
  /** The prompts before texts of each purpose. */
  prompts: { query: string; document: string }
}
