import { z } from 'zod'
import { RefreshSchedule } from '../freshness/refresh-schedule.ts'
import { TagRule } from '../freshness/tag-rule.ts'
import type { LibraryId } from '../library.ts'
import { patternText } from '../reading/discover/pattern-text.ts'
import type { Skipped } from '../reading/discover/skipped.ts'
import { DocsLanguage } from '../schemas/docs-language.ts'
import { RefName } from '../schemas/ref-name.ts'
import type { OtherSource } from '../sources/other-source.ts'
import type { JobId } from './indexing-catalog.ts'

const patterns = (maxItems: number) => z.array(patternText(255)).max(maxItems).optional()

export const ParseRequest = z.strictObject({
  repoUrl: z
    .string()
    .min(1)
    .max(500)
    .describe(
      'GitHub or GitLab repository: its address, also with /tree/<branch>/<folder>, or owner/repo; or the title or a package of a known library',
    ),
  branch: RefName.optional().describe('Branch or tag to index; the default branch if absent'),
  versions: z.array(RefName).max(50).optional().describe('Tags or branches to index in addition, each as its own version'),
  optionalVersions: z
    .array(RefName)
    .max(50)
    .optional()
    .describe('Versions such as 1.2.0 to index in addition if the repository has their tags; the report lists the others'),
  folders: patterns(100).describe('Only these paths; empty for the whole repository'),
  excludeFolders: patterns(100).describe('Folders to exclude, as names, paths or globs'),
  excludeFiles: patterns(100).describe('Files to exclude, as names or globs'),
  languages: z
    .array(DocsLanguage)
    .max(50)
    .optional()
    .describe('Languages of the documentation to read, such as en and zh-CN; only its main one if absent'),
  force: z.boolean().default(false).describe('Index even if the commit is indexed already, and accept a loss of content'),
  generateDocs: z
    .boolean()
    .optional()
    .describe('Have a language model write documentation from the source files if there is little of it; also at every refresh'),
  apiReference: z
    .boolean()
    .optional()
    .describe('Read an API reference from the source files, too: exported names with their signatures and documentation'),
  tagRule: TagRule.optional().describe('Which tags become versions without being named; if absent, that of the library stays'),
  schedule: RefreshSchedule.optional().describe(
    'When the library is compared with its repository; if absent, that of the library stays, else the default',
  ),
})
export type ParseRequest = z.infer<typeof ParseRequest>

/** The parse request of a job, and whether the job may use stored tokens. */
export type JobRequest = ParseRequest & {
  anonymous: boolean
  /** Branch or tag with the folder below it, from the address; without `branch` and `folders`. */
  tree?: string | undefined
  /** A source that is no git repository; `repoUrl` is then its address. */
  source?: OtherSource | undefined
  /** The job fails if the library exists when it runs. */
  adds?: boolean
  /** The request replaces all settings of the library: a tag rule or schedule that it omits is removed. */
  complete?: boolean
  /**
   * If true, the hosted half only rebuilds content in an old format from its rows. A worker that does not know this field
   * refreshes the library.
   */
  rebuild?: boolean
}

export type JobReport = {
  filesRead: number
  /** Files that were not read because they have not changed. Absent in reports of imports and re-indexes. */
  filesKept?: number
  /** Skipped files, sorted by path. A long list is cut, and its last entry gives the number of the others. */
  skipped: Skipped[]
  snippetsBefore: number
  snippetsAfter: number
  tokens: number
  durationMs: number
  textsEmbedded: number
  llmTokens: number
  /** Figures per version, '' being the default content; the figures above are their sums. Absent in the catalog of the hosted half. */
  versions?: VersionReport[]
}

/** `filesRead`, `filesKept` and `skipped` count files of this job; all are 0 for an unchanged commit. */
export type VersionReport = {
  version: string
  filesRead: number
  filesKept?: number
  snippets: number
  tokens: number
  skipped: number
}

/** A job as a worker runs it. */
export type IndexJob = {
  id: JobId
  /** The library to write, even if its repository has moved to another name. */
  library: LibraryId
  request: JobRequest
  /** Runs since the job was queued or last interrupted, including this one. */
  attempts: number
  /** The report of earlier attempts. */
  report: JobReport | null
  /** Usage of earlier attempts, including those that a crash ended without a report. Undefined if the job uses no provider. */
  spent?: Spent
}

/** The texts and tokens that a job has used of its providers. */
export type Spent = Pick<JobReport, 'textsEmbedded' | 'llmTokens'>
