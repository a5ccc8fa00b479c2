import { analyse, stem } from '../words/analyse.ts'
import { functionWords } from '../words/function-words.ts'

const maxTerms = 48
const functionStems = new Set([...functionWords].map(stem))

/** The terms of a question without function words. */
export function distinctiveTerms(text: string): Set<string> {
  const terms = analyse(text).filter((term) => !functionStems.has(term))
  return new Set([...new Set(terms)].slice(0, maxTerms))
}
