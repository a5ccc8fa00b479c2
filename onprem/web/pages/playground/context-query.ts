import { queryOptions } from '@tanstack/react-query'
import { answerOf } from '../../../../shared/web/api/answer-of.ts'
import { allLibraries, type Setting } from '../../../../shared/web/playground/playground-search.ts'
import { shownAnswer } from '../../../../shared/web/playground/shown-answer.ts'
import { api } from '../../api/api.ts'

type Asked = { library: string; question: string }

/** The answer with its explanations, asked once: it counts as one use of the surface `page`. */
export const contextQuery = ({ library, question }: Asked, { tokens, fast, vectors }: Setting) =>
  queryOptions({
    queryKey: ['context', library, question, tokens, fast, vectors],
    queryFn: async () => {
      const began = performance.now()
      const setting = { tokens: String(tokens), fast: fast ? 'true' : 'false', vectors: vectors ? 'true' : 'false' } as const
      const asked = { query: question, type: 'json', explain: 'true', ...setting } as const
      const call =
        library === allLibraries
          ? api.v2.search.$get({ query: asked })
          : api.v2.context.$get({ query: { ...asked, libraryId: library } })
      const answer = await answerOf(call)
      if (typeof answer === 'string') throw new TypeError('The answer is text, but JSON was asked for.')
      const isHybrid = (await call).headers.get('x-carrel-search') === 'hybrid'
      return { ...shownAnswer(answer), isHybrid, ms: performance.now() - began }
    },
    staleTime: Number.POSITIVE_INFINITY,
    retry: false,
  })
