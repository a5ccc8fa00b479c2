/** Names what a language model was asked: `hash` is of all that the answer depends on but the instructions, which `task` stands for. */
export type Question = { task: 'titles' | 'documents'; model: string; hash: string }

/** What language models have answered for one version of a library, so that nothing is paid for twice. */
export type KnownAnswers = {
  find(question: Question): unknown
  keep(question: Question, answer: unknown): void
  /** Forgets what the job has not used, once its content is served. */
  settle(): void
}

/** `library` by its key; `version` is '' for the default content. An answer goes with the last version that uses it. */
export type AnswerStore = (library: string, version: string, job: string | number) => KnownAnswers
