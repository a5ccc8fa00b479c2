/** Identifies a request to a language model. `task` identifies the instructions, `hash` covers everything else that the answer depends on. */
export type Question = { task: 'titles' | 'documents'; model: string; hash: string }

/** Answers of language models for one version of a library, so that none is paid for twice. */
export type KnownAnswers = {
  find(question: Question): unknown
  keep(question: Question, answer: unknown): void
  /** Deletes the answers that the job did not use. Called once its content is served. */
  settle(): void
}

/** `library` is its key; `version` is '' for the default content. An answer is deleted with the last version that uses it. */
export type AnswerStore = (library: string, version: string, job: string | number) => KnownAnswers
