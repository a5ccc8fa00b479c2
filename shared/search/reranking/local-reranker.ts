import type { LocalModels } from '../../ai/local/local-models.ts'
import type { SnippetRow } from '../rows/snippet-store.ts'
import type { Reranker } from './rerank.ts'

const maxCandidates = 50
/** One processor scores this much of all candidates within two seconds, with a model of the size of MiniLM-L6. */
const candidateChars = 400
const headingChars = 120
/** One is scored, one waits for it. */
const requestsAtOnce = 2

/** Scores each candidate with a cross-encoder in a folder of the install. */
export const localReranker = (name: string, models: LocalModels): Reranker => ({
  model: `local ${models.versionOf(name, 'reranking')} ${name}`,
  requestsAtOnce,
  maxCandidates,
  async order(question, candidates, signal) {
    const scores = await models.score(models.find(name, 'reranking'), question, candidates.map(textOf), signal)
    return scores.map((_, place) => place).sort((a, b) => (scores[b] ?? 0) - (scores[a] ?? 0))
  },
})

const textOf = ({ breadcrumb, content }: SnippetRow): string =>
  `${breadcrumb.join(' > ').slice(0, headingChars)}\n${content}`.slice(0, candidateChars).toWellFormed()
