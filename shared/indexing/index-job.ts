import { z } from 'zod'
import { patternText } from '../reading/discover/pattern-text.ts'
import type { Skipped } from '../reading/discover/skipped.ts'
import { visibleText } from '../text/visible-text.ts'
import type { JobId } from './indexing-catalog.ts'

const names = (most: number) => z.array(z.string().overwrite(visibleText).trim().min(1).max(255)).max(most).optional()
const patterns = (maxItems: number) => z.array(patternText(255)).max(maxItems).optional()

export const ParseRequest = z.object({
  repoUrl: z.string().min(1).max(500).describe('https address of a GitHub or GitLab repository'),
  branch: z
    .string()
    .overwrite(visibleText)
    .trim()
    .min(1)
    .max(255)
    .optional()
    .describe('Branch or tag to index; the default branch where absent'),
  versions: names(50).describe('Tags or branches to index beside it, each as a version of its own'),
  folders: patterns(100).describe('Only these paths; empty for the whole repository'),
  excludeFolders: patterns(100).describe('Folders to leave out, as names, paths or globs'),
  excludeFiles: patterns(100).describe('Files to leave out, as names or globs'),
  force: z.boolean().default(false).describe('Parse although the commit is indexed already, and accept a loss of content'),
  generateDocs: z
    .boolean()
    .optional()
    .describe(
      'Have a language model write documentation from the source files where there is little of it; at every refresh, too',
    ),
})
export type ParseRequest = z.infer<typeof ParseRequest>

/** What a job was asked, and whether it may use stored tokens. */
export type JobRequest = ParseRequest & {
  anonymous: boolean
  /** The job fails if its library exists when it runs. */
  adds?: boolean
  /** Hosted: only rebuild content in an old format from its rows. A worker that does not know this refreshes the library. */
  rebuild?: boolean
}

export type JobReport = {
  filesRead: number
  /** In the order of paths; of very many only the first, and how many more there are. */
  skipped: Skipped[]
  snippetsBefore: number
  snippetsAfter: number
  tokens: number
  durationMs: number
  textsEmbedded: number
  llmTokens: number
  /** What is served after the job, and what of the job failed; '' is the default content. The figures above are sums of these. Reports of earlier versions lack it. */
  versions?: VersionReport[]
}

/** `filesRead` and `skipped` count files of this job: both are 0 for content that was left as it is. */
export type VersionReport = { version: string; filesRead: number; snippets: number; tokens: number; skipped: number }

/** A job in the hands of a worker. */
export type IndexJob = {
  id: JobId
  /** Id of the library. */
  project: string
  request: JobRequest
  /** Runs that began, this one included, since it was queued or last interrupted. */
  attempts: number
  /** Of earlier attempts. */
  report: JobReport | null
  /** By earlier attempts, including those that ended without a report because the server died. Undefined if the job asks no provider. */
  spent?: Spent
}

/** What a job has asked providers for. */
export type Spent = Pick<JobReport, 'textsEmbedded' | 'llmTokens'>
