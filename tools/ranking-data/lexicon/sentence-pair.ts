/** A sentence or paragraph in two languages, without markup and code. */
export type SentencePair = {
  english: string
  foreign: string
  /** The catalogue or chapter that has it. A word of a single part is a word of one project. */
  part: string
}
