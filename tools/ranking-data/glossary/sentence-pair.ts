/** A sentence or paragraph in two languages, without markup and code. */
export type SentencePair = {
  english: string
  foreign: string
  /** The catalogue or chapter that has it. A word of a single part is a word of one project. */
  part: string
}

/** Reports a file that is skipped, or only partly used. */
export type Report = (message: string) => void
