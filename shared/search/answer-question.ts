import type { LibraryId } from '../library.ts'
import { askLibraries, type CombinedAnswer } from './ask-libraries.ts'
import { chooseLibraries, isNamed, type ScoreText } from './choose-libraries.ts'
import type { ListedLibrary } from './libraries/catalog.ts'
import { distinctiveTerms } from './libraries/distinctive-terms.ts'
import type { Answer, RenderedAnswer } from './render-answer.ts'

type Question = { query: string; tokens: number }

/** The answers of one half to one caller. */
export type QuestionPorts<Asked extends Question> = {
  /** The answer of one library, which counts as a use of it. */
  ask(asked: Asked & { libraryId: LibraryId }): Promise<Answer | RenderedAnswer>
  /** The same without counting. */
  probe(asked: Question & { libraryId: LibraryId }): Promise<Answer>
  /** The libraries that the caller may read. */
  readable(): Promise<ListedLibrary[]>
  /** Absent if only answers tell how well a library fits. */
  scoreText?: ScoreText
}

/** Enough for the best snippets of a library. */
const probeTokens = 1000

/** Asks the given libraries; without any, those of all readable libraries that answer best. One budget for all. */
export async function answerQuestion<Asked extends Question>(
  ports: QuestionPorts<Asked>,
  ids: LibraryId[],
  asked: Asked,
): Promise<Answer | RenderedAnswer | CombinedAnswer> {
  const [only, ...others] = ids
  if (only && others.length === 0) return ports.ask({ ...asked, libraryId: only })
  const probe = (libraryId: LibraryId) => ports.probe({ query: asked.query, tokens: probeTokens, libraryId })
  const ask = (libraryId: LibraryId, tokens: number) => ports.ask({ ...asked, tokens, libraryId })
  if (only) return askLibraries(ids, asked.tokens, ask)
  const readable = await ports.readable()
  const chosen = await chooseLibraries(readable, asked.query, probe, ports.scoreText)
  const answer = await askLibraries(chosen, asked.tokens, ask)
  return { ...answer, chosenFrom: readable.length, named: namedIn(readable, asked.query, answer) }
}

/** The ids of the answering libraries that the question names. */
function namedIn(readable: ListedLibrary[], query: string, { parts }: CombinedAnswer): string[] {
  const ids = new Set(parts.map(({ libraryId }) => libraryId))
  const terms = distinctiveTerms(query)
  return readable.filter((library) => ids.has(library.id) && isNamed(library, terms)).map(({ id }) => id)
}
