import type { ContextAnswer } from '../../api/context.ts'

export type RankedSnippet = {
  rank: number
  title: string
  content: string
  source: string
  tokens: number
  /** The library, if several were asked. */
  libraryId?: string | undefined
  explain?: ContextAnswer['infoSnippets'][number]['explain']
}

/** `isHybrid` if vectors were searched, too; `ms` is the time of the whole request. */
export type ShownAnswer = ReturnType<typeof shownAnswer> & { isHybrid: boolean; ms: number }

/** Splits the agent's answer from the data that only the playground requests. */
export function shownAnswer({ timings = {}, available, choice, text = '', ...rest }: ContextAnswer) {
  const snippets: RankedSnippet[] = [
    ...rest.codeSnippets.map((each) => ({
      rank: each.rank,
      title: each.breadcrumb,
      content: [each.codeDescription, ...each.codeList.map(({ language, code }) => fenced(language, code))].join('\n\n'),
      source: each.codeId,
      tokens: each.codeTokens,
      libraryId: each.libraryId,
      explain: each.explain,
    })),
    ...rest.infoSnippets.map((each) => ({
      rank: each.rank,
      title: each.breadcrumb,
      content: each.content,
      source: each.pageId,
      tokens: each.contentTokens,
      libraryId: each.libraryId,
      explain: each.explain,
    })),
  ].toSorted((a, b) => a.rank - b.rank)
  const json = {
    ...rest,
    codeSnippets: rest.codeSnippets.map(({ explain: _, ...each }) => each),
    infoSnippets: rest.infoSnippets.map(({ explain: _, ...each }) => each),
  }
  return { snippets, json, text, timings, available, choice, notes: notesOf(rest) }
}

/** The sentences of the answer about itself. */
const notesOf = ({ notes = [], unanswered = [] }: Pick<ContextAnswer, 'notes' | 'unanswered'>): string[] => [
  ...notes,
  ...unanswered.map(({ libraryId, message }) => `${libraryId} gave no answer. ${message}`),
]

function fenced(language: string, code: string): string {
  const fence = '`'.repeat(Math.max(3, ...[...code.matchAll(/`+/g)].map(([ticks]) => ticks.length + 1)))
  return `${fence}${language}\n${code}\n${fence}`
}
