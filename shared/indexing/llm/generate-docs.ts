import { mkdir, readFile, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import type { JobLlm } from '../../ai/job-llm.ts'
import type { KnownAnswers } from '../../ai/known-answers.ts'
import type { AppError } from '../../errors.ts'
import { type ListLimits, listFiles } from '../../reading/discover/list-files.ts'
import type { CloneSelection } from '../../reading/discover/selection.ts'
import { generatePage } from './generate-page.ts'

/** A page of Markdown on disk, or the reason why there is none. */
export type GeneratedPage = { root: string; path: string } | { skipped: string }

/** Writes pages about source files, for a repository with little documentation. */
export type GenerateDocs = {
  /** Number of pages that may be written concurrently. */
  width: number
  sources(signal: AbortSignal): Promise<string[]>
  write(source: string): Promise<GeneratedPage>
  /** The error that stopped the language model, or of its requests if none has passed; undefined while it runs. */
  whyStopped(): AppError | undefined
}

type Setup = {
  llm: JobLlm
  answers: KnownAnswers
  /** The clone. */
  root: string
  selection: CloneSelection
  limits: ListLimits
  /** Folder for the pages; it holds nothing else. */
  folder: string
  onPage(): void
}

const maxSources = 150

/** Has a language model write one page per source file. */
export function llmGenerateDocs({ llm, answers, root, selection, limits, folder, onPage }: Setup): GenerateDocs {
  let pages = 0
  const why = () => (llm.ended() ?? llm.failure())?.message ?? 'the job was interrupted'
  return {
    width: Math.max(1, llm.limits.requestsAtOnce),
    async sources(signal) {
      const { paths } = await listFiles({ sources: { root, selection, maxFiles: maxSources } }, limits, signal)
      return paths
    },
    async write(source) {
      onPage()
      const text = await readFile(join(root, source), 'utf8')
      const markdown = await generatePage({ llm, answers }, { path: source, text })
      if (markdown === undefined) return { skipped: `no documentation was written about it: ${why()}` }
      if (markdown === '') return { skipped: 'the language model found nothing in it to document' }
      await mkdir(folder, { recursive: true })
      const path = `${++pages}.md`
      await writeFile(join(folder, path), markdown)
      return { root: folder, path }
    },
    whyStopped: () => llm.ended() ?? (llm.hasAnswered() ? undefined : llm.failure()),
  }
}
