import type { Snippet } from '../snippet.ts'
import type { Explanation, Timings } from './explain.ts'

/** The answer to a question about one library. */
export type Context = {
  /** The snippets, most relevant first. */
  snippets: Snippet[]
  /** The maintainers' guidance from the project file. */
  rules: string[]
  /** Id of the library, without a version. */
  library: string
  /** The searches that contributed. */
  search: 'hybrid' | 'text'
  /** The reasons why each snippet was chosen, in the order of `snippets`, and the time of the steps. Only on request. */
  explained?: { snippets: Explanation[]; timings: Timings }
  /** Set if the hosted service answered instead. */
  hosted?: 'answered'
}

/** An answer that the hosted service has already rendered in the requested type. */
export type RenderedContext = Pick<Context, 'search' | 'hosted'> & { rendered: string }
