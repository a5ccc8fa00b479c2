import { queryOptions } from '@tanstack/react-query'
import { answerOf, api } from '../../api/api.ts'
import type { Setting } from './playground-search.ts'

type Asked = { library: string; question: string }

/** The answer with its explanations, asked once: it counts as one use of the surface `page`. */
export const contextQuery = ({ library, question }: Asked, { tokens, fast, vectors }: Setting) =>
  queryOptions({
    queryKey: ['context', library, question, tokens, fast, vectors],
    queryFn: async () => {
      const began = performance.now()
      const query = {
        libraryId: library,
        query: question,
        type: 'json' as const,
        tokens: String(tokens),
        explain: 'true' as const,
      }
      const call = api.v2.context.$get({
        query: { ...query, fast: fast ? 'true' : 'false', vectors: vectors ? 'true' : 'false' },
      })
      const response = await call
      const answer = await answerOf(response)
      if (typeof answer === 'string') throw new TypeError('The answer is text, but JSON was asked for.')
      const search = response.headers.get('x-carrel-search') === 'hybrid' ? 'words and vectors' : 'words'
      return { ...shown(answer), search, ms: performance.now() - began }
    },
    staleTime: Number.POSITIVE_INFINITY,
    retry: false,
  })

type Answer = Exclude<Awaited<ReturnType<typeof answered>>, string>
const answered = () => answerOf(api.v2.context.$get({ query: { libraryId: '', query: '' } }))

export type RankedSnippet = {
  rank: number
  title: string
  content: string
  source: string
  tokens: number
  explain: Answer['infoSnippets'][number]['explain']
}

/** Splits the agent's answer from the data that only this page requests. */
function shown({ timings = {}, text = '', ...rest }: Answer) {
  const snippets: RankedSnippet[] = [
    ...rest.codeSnippets.map((each) => ({
      rank: each.rank,
      title: each.breadcrumb,
      content: [each.codeDescription, ...each.codeList.map(({ language, code }) => fenced(language, code))].join('\n\n'),
      source: each.codeId,
      tokens: each.codeTokens,
      explain: each.explain,
    })),
    ...rest.infoSnippets.map((each) => ({
      rank: each.rank,
      title: each.breadcrumb,
      content: each.content,
      source: each.pageId,
      tokens: each.contentTokens,
      explain: each.explain,
    })),
  ].toSorted((a, b) => a.rank - b.rank)
  const json = {
    ...rest,
    codeSnippets: rest.codeSnippets.map(({ explain: _, ...each }) => each),
    infoSnippets: rest.infoSnippets.map(({ explain: _, ...each }) => each),
  }
  return { snippets, json, text, timings }
}

function fenced(language: string, code: string): string {
  const fence = '`'.repeat(Math.max(3, ...[...code.matchAll(/`+/g)].map(([ticks]) => ticks.length + 1)))
  return `${fence}${language}\n${code}\n${fence}`
}
