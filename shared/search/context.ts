import type { Snippet } from '../snippet.ts'

/** The answer to a question about one library. */
export type Context = {
  /** Most relevant first. */
  snippets: Snippet[]
  /** The maintainers' guidance from the project file. */
  rules: string[]
  /** Id of the library, without a version. */
  library: string
  /** The searches that contributed. */
  search: 'hybrid' | 'text'
  /** Set if the hosted service answered instead. */
  hosted?: 'answered'
}

/** An answer that the hosted service has already rendered in the requested type. */
export type RenderedContext = Pick<Context, 'search' | 'hosted'> & { rendered: string }
