import { readFileSync } from 'node:fs'
import { z } from 'zod'
import type { TestInstall } from '../fixtures/test-install.ts'

/** `pages` are parts of the paths that answer; without them, the documentation does not cover the question. */
const AgentQuestion = z.object({
  library: z.string(),
  kind: z.string(),
  query: z.string(),
  pages: z.array(z.string()).optional(),
})
export type AskedAgentQuestion = z.infer<typeof AgentQuestion> & { place: string }

const Answer = z.object({
  covered: z.boolean(),
  codeSnippets: z.array(z.object({ codeId: z.string(), rank: z.number() })),
  infoSnippets: z.array(z.object({ pageId: z.string(), rank: z.number() })),
})

/** Asks those of agent-questions.json that are for these libraries. Their expected pages were judged by reading the answers. */
export async function askAgentQuestions(install: TestInstall, libraries: string[]): Promise<AskedAgentQuestion[]> {
  const file = new URL('./agent-questions.json', import.meta.url)
  const questions = z.array(AgentQuestion).parse(JSON.parse(readFileSync(file, 'utf8')))
  const asked: AskedAgentQuestion[] = []
  for (const question of questions.filter(({ library }) => libraries.includes(library)))
    asked.push({ ...question, place: await placeOf(install, question) })
  return asked
}

async function placeOf(install: TestInstall, { library, query, pages }: z.infer<typeof AgentQuestion>): Promise<string> {
  const params = new URLSearchParams({ libraryId: library, query, type: 'json' })
  const response = await fetch(`${install.url}/api/v2/context?${params}`, {
    headers: { authorization: `Bearer ${install.keys.admin}` },
  })
  if (response.status === 404) return pages ? 'no answer' : 'declined'
  const { covered, codeSnippets, infoSnippets } = Answer.parse(await response.json())
  if (pages === undefined) return covered ? 'answered' : 'declined'
  const snippets = [
    ...codeSnippets.map(({ codeId, rank }) => ({ url: codeId, rank })),
    ...infoSnippets.map(({ pageId, rank }) => ({ url: pageId, rank })),
  ].sort((a, b) => a.rank - b.rank)
  const first = snippets.find(({ url }) => pages.some((page) => url.includes(page)))
  return first ? `place ${first.rank}` : 'not found'
}
