import { countOf } from '../../text/figures.ts'
import { withoutTrace } from './without-trace.ts'

/** A question as it is searched. `note` tells the caller that a part was not read. */
export type AskedQuestion = { text: string; note?: string }

/** Cuts a question to `maxChars` characters, and takes the stack trace out of it. */
export function askedQuestion(question: string, maxChars: number): AskedQuestion {
  if (question.length <= maxChars) return { text: withoutTrace(question) }
  const note = `Only the first ${countOf(maxChars, 'character')} of the question were read.`
  return { text: withoutTrace(question.slice(0, maxChars).toWellFormed()), note }
}
