import { queryOptions } from '@tanstack/react-query'
import { answerOf } from '../../../../shared/web/api/answer-of.ts'
import type { Setting } from '../../../../shared/web/playground/playground-search.ts'
import { shownAnswer } from '../../../../shared/web/playground/shown-answer.ts'
import { api } from '../../api/api.ts'

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
      return { ...shownAnswer(answer), search, ms: performance.now() - began }
    },
    staleTime: Number.POSITIVE_INFINITY,
    retry: false,
  })
