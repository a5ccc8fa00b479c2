import { z } from 'zod'
import { AppError, invalidField } from '../errors.ts'
import { RefreshSchedule } from '../freshness/refresh-schedule.ts'
import { TagRule } from '../freshness/tag-rule.ts'
import { versionName } from '../library.ts'
import type { GitHosts } from '../reading/git/git-hosts.ts'
import { parseRepoUrl } from '../reading/git/repo-address.ts'
import { flaggedRules } from '../snippet.ts'
import { ParseRequest } from './index-job.ts'
import type { SourceSettings } from './indexing-catalog.ts'
import { withoutRule } from './rule-versions.ts'
import { type StoredVersions, selection, versionsToIndex } from './source-settings.ts'

const paths = z.array(z.string()).nullable()
const orDefault = 'null: the project file of the repository, else the default, decides'

const flaggedMeaning =
  'What answers do with passages that may hold instructions aimed at agents: serve them like others, mark them and withhold those that are hidden or encoded, or withhold all'

export const SourceAnswer = z
  .object({
    repoUrl: z.string(),
    branch: z.string().nullable().describe('null: the default branch'),
    versions: z.array(z.string()).describe('Tags and branches that a refresh indexes in addition, without those of the rule'),
    folders: paths.describe(`Only these paths; empty for the whole repository; ${orDefault}`),
    excludeFolders: paths.describe(`Excluded folders; ${orDefault}`),
    excludeFiles: paths.describe(`Excluded files; ${orDefault}`),
    languages: z.array(z.string()).nullable().describe('Languages that are read; null: the project file, else the main language'),
    generateDocs: z.boolean().describe('Whether a language model writes documentation if there is little of it'),
    apiReference: z.boolean().describe('Whether an API reference is read from the source files, too'),
    tagRule: TagRule.nullable().describe('Which tags become versions without being named; null: none'),
    versionsByRule: z.array(z.string()).describe('The tags that are versions by the rule, until it no longer asks for them'),
    schedule: RefreshSchedule.nullable().describe('When it is compared with its repository; null: the default'),
    flagged: z.enum(flaggedRules).describe(flaggedMeaning),
  })
  .meta({ id: 'Source' })
export type SourceAnswer = z.infer<typeof SourceAnswer>

const { repoUrl, branch, versions, folders, excludeFolders, excludeFiles, languages, ...others } = ParseRequest.shape
const { generateDocs, apiReference, tagRule, schedule } = others

export const SourceChange = z
  .strictObject({
    repoUrl: repoUrl.optional().describe('Only the present address: another repository is another library'),
    branch: branch.nullable(),
    versions: versions.describe(
      'All of them: tags and branches to index in addition. Versions with content cannot be omitted, except those of the rule',
    ),
    folders: folders.nullable(),
    excludeFolders: excludeFolders.nullable(),
    excludeFiles: excludeFiles.nullable(),
    languages: languages.nullable(),
    generateDocs,
    apiReference,
    tagRule: tagRule
      .nullable()
      .describe('Which tags become versions without being named; null: none, and those that it made stay'),
    schedule: schedule.nullable().describe('When the library is compared with its repository; null: the default'),
    flagged: z.enum(flaggedRules).nullable().optional().describe(`${flaggedMeaning}; null: mark`),
    private: z.boolean().optional().describe('Only for admins. A library becomes private again when a stored token fetches it'),
  })
  .refine((change) => Object.keys(change).length > 0, 'must name at least one setting')
export type SourceChange = z.infer<typeof SourceChange>

/** The repository of a library and the settings that a refresh uses. */
export function toSourceAnswer(repoUrl: string, settings: SourceSettings, stored: StoredVersions): SourceAnswer {
  const { branch = null, folders = null, excludeFolders = null, excludeFiles = null, languages = null } = settings
  const { generateDocs = false, apiReference = false, tagRule = null, byRule = [], schedule = null } = settings
  const { flagged = 'mark' } = settings
  const versions = [...versionsToIndex({ job: { request: settings } }, withoutRule(stored, settings), settings).values()]
  const selected = { folders, excludeFolders, excludeFiles, languages, generateDocs, apiReference }
  return { repoUrl, branch, versions, ...selected, tagRule, versionsByRule: byRule, schedule, flagged }
}

/** The settings after a change. An absent field keeps its value, null restores the default. `stored` are the versions with content. Throws validation_error. */
export function changedSettings(before: SourceSettings, change: SourceChange, stored: ReadonlySet<string>): SourceSettings {
  const after = withFields(before, change, stored)
  if (selection(after) === selection(before)) return after
  const { branch, folders, excludeFolders, excludeFiles, languages } = before
  return {
    ...after,
    outdated: ['', ...stored],
    applied: after.applied ?? { branch, folders, excludeFolders, excludeFiles, languages },
  }
}

function withFields(before: SourceSettings, change: SourceChange, stored: ReadonlySet<string>): SourceSettings {
  const { versions = before.versions, repoUrl: _, private: __, ...fields } = change
  const after: SourceSettings = { ...before, ...(versions && { versions }) }
  for (const [name, value] of Object.entries(fields)) {
    if (value === undefined) continue
    Object.assign(after, { [name]: value ?? undefined })
  }
  if (change.tagRule === null) delete after.byRule
  if (change.versions === undefined) return after
  const wanted = new Set(change.versions.map(versionName))
  const cameByRule = new Set(before.byRule?.map(versionName))
  const kept = [...stored].find((name) => !wanted.has(name) && !cameByRule.has(name))
  if (kept !== undefined)
    throw invalidField('versions', `must contain ${kept}, which has content. Delete that version to remove it`)
  const omitted = (before.named ?? []).map(versionName).filter((name) => !wanted.has(name))
  const unwanted = [...(before.unwanted ?? []), ...omitted].filter((name) => !wanted.has(name))
  const byRule = after.byRule?.filter((tag) => !wanted.has(versionName(tag)))
  return { ...after, ...(byRule && { byRule }), unwanted: [...new Set(unwanted)] }
}

/** Throws validation_error if a change names another repository. */
export function rejectOtherRepository(
  { repoUrl: requested }: SourceChange,
  library: { id: string; repoUrl: string },
  hosts: GitHosts,
) {
  if (requested === undefined || isAddressOf(requested, library.repoUrl, hosts)) return
  throw invalidField(
    'repoUrl',
    `cannot change: ${library.id} belongs to ${library.repoUrl}. Add the other repository as a library`,
  )
}

function isAddressOf(text: string, repoUrl: string, hosts: GitHosts): boolean {
  try {
    return parseRepoUrl(text, hosts).webUrl === repoUrl
  } catch (error) {
    if (error instanceof AppError) return false
    throw error
  }
}
