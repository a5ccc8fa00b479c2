import { z } from 'zod'
import { LibraryAnswer, libraryAnswer } from '../../shared/api/search.ts'
import { parseLibraryId } from '../../shared/library.ts'
import type { SettingsStore } from '../../shared/store/settings-store.ts'
import { isStale, staleTime } from '../../shared/time/is-stale.ts'
import type { InstallLibrary } from '../store/catalog/install-library.ts'
import type { JobStore } from '../store/jobs/job-store.ts'
import { type LibraryChecks, lastCheckedAt } from '../store/library-checks.ts'
import { Meaning, type MeaningPorts, meaningOf } from './meaning.ts'
import { type UnservedPorts, unservedText } from './unserved-text.ts'

export const InstallLibraryAnswer = LibraryAnswer.extend({
  sourceUrl: z.string(),
  commit: z.string().describe('Commit that is served'),
  imported: z.boolean(),
  private: z.boolean(),
  generated: z.boolean().describe('Whether a language model wrote the documentation'),
  meaning: Meaning.optional().describe('How many snippets can be found by meaning; absent without an embedding provider'),
  codeLanguage: z
    .string()
    .optional()
    .describe('The programming language of most code; absent if there is no code in a known language, or until the next refresh'),
  repository: z
    .object({
      topics: z.array(z.string()).optional(),
      archived: z.boolean().optional(),
      defaultBranch: z.string().optional(),
      unavailable: z.string().optional().describe('Why its host does not show it any more; the content stays'),
    })
    .optional()
    .describe('What the host says about the repository; a fact that is absent is unknown'),
  tags: z.array(z.string()).describe('Words by which people of this install group their libraries'),
  lastReadAt: z.iso.datetime().optional().describe('When a job last read or imported it, also if nothing had changed'),
  lastCheckedAt: z.iso.datetime().optional().describe('When it was last compared with its source, read or imported'),
  lastChangedAt: z.iso.datetime().optional().describe('When content of it was last replaced'),
  checkError: z.string().optional().describe('Why the last comparison or refresh failed; absent after one that succeeded'),
  nextCheckAt: z.iso.datetime().optional().describe('When its schedule compares it next; absent without a schedule'),
  stale: z.boolean().describe('Whether the last comparison is longer ago than the setting refresh.staleDays'),
  lastReport: z.int().optional().describe('The newest job of the library that has a report'),
  statusMessage: z
    .string()
    .optional()
    .describe('For a library without content: how far it has been added or imported, or why that failed'),
}).meta({ id: 'Project' })
export type InstallLibraryAnswer = z.infer<typeof InstallLibraryAnswer>

export type InstallLibraryAnswerPorts = UnservedPorts &
  MeaningPorts & {
    jobs: Pick<JobStore, 'unserved' | 'lastReportOf' | 'lastReadOf'>
    checks: Pick<LibraryChecks, 'of'>
    settings: Pick<SettingsStore, 'get'>
    now(): Date
  }

export const installLibraryAnswer = (ports: InstallLibraryAnswerPorts, library: InstallLibrary): InstallLibraryAnswer => ({
  ...libraryAnswer(library),
  ...statusOf(ports, library),
  ...freshnessOf(ports, library),
  sourceUrl: library.sourceUrl,
  commit: library.commit,
  imported: library.imported,
  private: library.private,
  generated: library.generated,
  meaning: meaningOf(ports, parseLibraryId(library.id)),
  codeLanguage: library.codeLanguage,
  ...repositoryAnswer(library),
  tags: library.tags,
  lastReadAt: lastReadAt(library, ports.jobs.lastReadOf(library.id.toLowerCase())),
  lastReport: ports.jobs.lastReportOf(library.id.toLowerCase()),
})

function repositoryAnswer({ repository }: InstallLibrary): Pick<InstallLibraryAnswer, 'repository'> {
  const { topics, archived, defaultBranch, unavailable } = repository ?? {}
  const answer = { topics, archived, defaultBranch, unavailable }
  return Object.values(answer).every((fact) => fact === undefined) ? {} : { repository: answer }
}

function freshnessOf({ checks, settings, now }: InstallLibraryAnswerPorts, library: InstallLibrary) {
  const check = checks.of(library.id.toLowerCase())
  const checkedAt = lastCheckedAt(library, check)
  const isOld = isStale({ state: library.state, lastCheckedAt: checkedAt }, staleTime(now(), settings.get('refresh.staleDays')))
  return {
    lastCheckedAt: checkedAt,
    lastChangedAt: library.writtenAt,
    checkError: check?.error,
    nextCheckAt: check?.dueAt,
    stale: isOld,
  }
}

/** The later of the end of its last job and the time of its content: the records of old jobs are deleted. */
const lastReadAt = ({ writtenAt }: InstallLibrary, byJob: string | undefined): string | undefined =>
  writtenAt === undefined || (byJob !== undefined && byJob > writtenAt) ? byJob : writtenAt

function statusOf(ports: InstallLibraryAnswerPorts, { id, state }: InstallLibrary): { statusMessage?: string } {
  if (state !== 'processing' && state !== 'error') return {}
  const unserved = ports.jobs.unserved.find(id.toLowerCase())
  return unserved ? { statusMessage: unservedText(ports, unserved) } : {}
}
