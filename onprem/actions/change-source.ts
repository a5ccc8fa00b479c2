import { z } from 'zod'
import { AppError } from '../../shared/errors.ts'
import { requireMatch } from '../../shared/http/etag.ts'
import { ParseRequest } from '../../shared/indexing/index-job.ts'
import type { SourceSettings } from '../../shared/indexing/indexing-catalog.ts'
import { selection, versionsToIndex } from '../../shared/indexing/source-settings.ts'
import { type LibraryId, libraryKey, parseLibraryId, printLibraryId, shownId, versionName } from '../../shared/library.ts'
import type { GitHosts } from '../../shared/reading/git/git-hosts.ts'
import { parseRepoUrl } from '../../shared/reading/git/repo-address.ts'
import { actorOf, type Caller } from '../access/caller.ts'
import { type MayReplacePorts, requireReplace } from '../access/may-replace.ts'
import type { Atomically, AuditLog } from '../accounts/audit-log.ts'
import type { InstallCatalog } from '../store/catalog/sqlite-catalog.ts'
import { findLibrary } from '../store/catalog/visible-libraries.ts'
import type { JobStore } from '../store/jobs/job-store.ts'

const paths = z.array(z.string()).nullable()
const orDefault = 'null: the project file of the repository, else the default, decides'

export const SourceAnswer = z
  .object({
    repoUrl: z.string(),
    branch: z.string().nullable().describe('null: the default branch'),
    versions: z.array(z.string()).describe('Tags and branches that a refresh indexes in addition'),
    folders: paths.describe(`Only these paths; empty for the whole repository; ${orDefault}`),
    excludeFolders: paths.describe(`Excluded folders; ${orDefault}`),
    excludeFiles: paths.describe(`Excluded files; ${orDefault}`),
    languages: z.array(z.string()).nullable().describe('Languages that are read; null: the project file, else the main language'),
    generateDocs: z.boolean().describe('Whether a language model writes documentation if there is little of it'),
  })
  .meta({ id: 'Source' })
export type SourceAnswer = z.infer<typeof SourceAnswer>

type SourcePorts = {
  catalog: Pick<InstallCatalog, 'find' | 'settings' | 'versions'>
  jobs: Pick<JobStore, 'unserved'>
}

/** The repository of a library and the settings that a refresh uses. Throws library_not_found, validation_error for an imported library. */
export function sourceAnswer(ports: SourcePorts, id: LibraryId): SourceAnswer {
  const { library, repoUrl } = findSource(ports, id)
  return toAnswer(ports, library, repoUrl, ports.catalog.settings(library))
}

function toAnswer({ catalog }: SourcePorts, library: LibraryId, repoUrl: string, settings: SourceSettings): SourceAnswer {
  const stored = new Map(catalog.versions(library).map((each) => [each.version, each]))
  const { branch = null, folders = null, excludeFolders = null, excludeFiles = null, languages = null } = settings
  const { generateDocs = false } = settings
  const versions = [...versionsToIndex({ job: { request: settings } }, stored, settings).values()]
  return { repoUrl, branch, versions, folders, excludeFolders, excludeFiles, languages, generateDocs }
}

/** The id of the whole library, also if `id` names a version of it. */
function findSource({ catalog, jobs }: SourcePorts, id: LibraryId): { library: LibraryId; repoUrl: string } {
  const whole = { owner: id.owner, repo: id.repo }
  const unserved = jobs.unserved.find(libraryKey(whole))
  if (unserved && !catalog.find(whole)) {
    throw new AppError(
      'library_not_found',
      `${unserved.id} has no content yet, so it has no source settings. To use other settings, add its repository again with them.`,
    )
  }
  const { id: libraryId, imported, sourceUrl } = findLibrary(catalog, whole)
  if (imported) {
    throw new AppError(
      'validation_error',
      `${shownId(whole)} was imported and has no source settings. Change them where it was exported, then import it again with force.`,
    )
  }
  return { library: parseLibraryId(libraryId), repoUrl: sourceUrl }
}

const { repoUrl, branch, versions, folders, excludeFolders, excludeFiles, languages, generateDocs } = ParseRequest.shape

export const SourceChange = z
  .strictObject({
    repoUrl: repoUrl.optional().describe('Only the present address: another repository is another library'),
    branch: branch.nullable(),
    versions: versions.describe('All of them: tags and branches to index in addition. Versions with content cannot be omitted'),
    folders: folders.nullable(),
    excludeFolders: excludeFolders.nullable(),
    excludeFiles: excludeFiles.nullable(),
    languages: languages.nullable(),
    generateDocs,
    private: z.boolean().optional().describe('Only for admins. A library becomes private again when a stored token fetches it'),
  })
  .refine((change) => Object.keys(change).length > 0, 'must name at least one setting')
export type SourceChange = z.infer<typeof SourceChange>

type ChangeSourcePorts = SourcePorts & {
  catalog: Pick<InstallCatalog, 'storeSettings' | 'setPrivate'>
  jobs: Pick<JobStore, 'activeOf'>
  gitHosts(): GitHosts
}

/**
 * Changes the settings of the next refresh. An absent field keeps its value, null restores the default.
 * Throws library_not_found, validation_error, precondition_failed, job_active: a job stores its own settings when it ends.
 */
function changeSource(ports: ChangeSourcePorts, id: LibraryId, change: SourceChange, ifMatch: string | undefined): SourceAnswer {
  const { library, repoUrl } = findSource(ports, id)
  const libraryId = printLibraryId(library)
  if (change.repoUrl !== undefined && !isAddressOf(change.repoUrl, repoUrl, ports.gitHosts())) {
    throw invalid('repoUrl', `cannot change: ${libraryId} belongs to ${repoUrl}. Add the other repository as a library.`)
  }
  const active = ports.jobs.activeOf(libraryKey(library))
  if (active) {
    const message = `${libraryId} has a job that is ${active.state}, which uses the old settings. Wait for its end or cancel job ${active.id} first.`
    throw new AppError('job_active', message, { fields: { project: libraryId, status: active.state } })
  }
  const before = ports.catalog.settings(library)
  requireMatch(ifMatch, { '': toAnswer(ports, library, repoUrl, before) })
  const after = changed(before, change, new Set(storedNames(ports, library)))
  if (selection(after) !== selection(before)) {
    const { branch, folders, excludeFolders, excludeFiles, languages } = before
    after.outdated = ['', ...storedNames(ports, library)]
    after.applied ??= { branch, folders, excludeFolders, excludeFiles, languages }
  }
  ports.catalog.storeSettings(library, after)
  if (change.private !== undefined) ports.catalog.setPrivate(library, change.private)
  return toAnswer(ports, library, repoUrl, after)
}

function changed(before: SourceSettings, change: SourceChange, stored: ReadonlySet<string>): SourceSettings {
  const { versions = before.versions, repoUrl: _, private: __, ...fields } = change
  const after: SourceSettings = { ...before, ...(versions && { versions }) }
  for (const [name, value] of Object.entries(fields)) {
    if (value === undefined) continue
    Object.assign(after, { [name]: value ?? undefined })
  }
  if (change.versions === undefined) return after
  const wanted = new Set(change.versions.map(versionName))
  const kept = [...stored].find((name) => !wanted.has(name))
  if (kept !== undefined) throw invalid('versions', `must contain ${kept}, which has content. Delete that version to remove it.`)
  const omitted = (before.named ?? []).map(versionName).filter((name) => !wanted.has(name))
  const unwanted = [...(before.unwanted ?? []), ...omitted].filter((name) => !wanted.has(name))
  return { ...after, unwanted: [...new Set(unwanted)] }
}

function isAddressOf(text: string, repoUrl: string, hosts: GitHosts): boolean {
  try {
    return parseRepoUrl(text, hosts).webUrl === repoUrl
  } catch (error) {
    if (error instanceof AppError) return false
    throw error
  }
}

const storedNames = ({ catalog }: SourcePorts, library: LibraryId): string[] =>
  catalog
    .versions(library)
    .map(({ version }) => version)
    .filter((name) => name !== '')

const invalid = (path: string, message: string): AppError =>
  new AppError('validation_error', `${path} ${message}`, { fields: { fields: [{ path, message }] } })

export type ChangeForCallerPorts = ChangeSourcePorts &
  MayReplacePorts & { audit: Pick<AuditLog, 'record'>; atomically: Atomically }

/** Throws forbidden for callers who may not replace the library, and what `changeSource` throws. */
export function changeSourceForCaller(
  ports: ChangeForCallerPorts,
  caller: Caller,
  id: LibraryId,
  change: SourceChange,
  ifMatch?: string,
): SourceAnswer {
  const { library } = findSource(ports, id)
  requireReplace(ports, caller, library, 'change its source settings')
  if (change.private !== undefined && caller.holder?.role !== 'admin')
    throw new AppError('forbidden', 'Only an admin can change whether a library is private.')
  return ports.atomically(() => {
    const source = changeSource(ports, library, change, ifMatch)
    const record = (action: string) => ports.audit.record({ actor: actorOf(caller), action, subject: printLibraryId(library) })
    record('library.source')
    if (change.private !== undefined) record(change.private ? 'library.private' : 'library.public')
    return source
  })
}
