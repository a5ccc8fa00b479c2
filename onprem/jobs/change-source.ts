import { z } from 'zod'
import { AppError } from '../../shared/errors.ts'
import { ParseRequest } from '../../shared/indexing/index-job.ts'
import type { SourceSettings } from '../../shared/indexing/indexing-catalog.ts'
import { selection } from '../../shared/indexing/source-settings.ts'
import { type LibraryId, libraryKey, printLibraryId, versionName } from '../../shared/library.ts'
import type { GitHosts } from '../../shared/reading/git/git-hosts.ts'
import { parseRepoUrl } from '../../shared/reading/git/repo-address.ts'
import type { ProjectCatalog } from '../store/catalog/sqlite-catalog.ts'
import type { JobStore } from '../store/jobs/job-store.ts'
import { findSource, type SourceAnswer, type SourcePorts, toAnswer } from './source-answer.ts'

const { repoUrl, branch, versions, folders, excludeFolders, excludeFiles, generateDocs } = ParseRequest.shape

export const SourceChange = z
  .strictObject({
    repoUrl: repoUrl.optional().describe('Only the present address: another repository is another library'),
    branch: branch.nullable(),
    versions: versions.describe('All of them: tags and branches to index in addition. Versions with content cannot be omitted'),
    folders: folders.nullable(),
    excludeFolders: excludeFolders.nullable(),
    excludeFiles: excludeFiles.nullable(),
    generateDocs,
    private: z.boolean().optional().describe('Only for admins. A library becomes private again when a stored token fetches it'),
  })
  .refine((change) => Object.keys(change).length > 0, 'must name at least one setting')
export type SourceChange = z.infer<typeof SourceChange>

export type ChangeSourcePorts = SourcePorts & {
  catalog: Pick<ProjectCatalog, 'storeSettings' | 'setPrivate'>
  jobs: Pick<JobStore, 'activeOf'>
  gitHosts(): GitHosts
}

/**
 * Changes the settings of the next refresh. An absent field keeps its value, null restores the default.
 * Throws library_not_found, validation_error, job_active: a job stores its own settings when it ends.
 */
export function changeSource(ports: ChangeSourcePorts, id: LibraryId, change: SourceChange): SourceAnswer {
  const { library, repoUrl } = findSource(ports, id)
  const project = printLibraryId(library)
  if (change.repoUrl !== undefined && !isAddressOf(change.repoUrl, repoUrl, ports.gitHosts())) {
    throw invalid('repoUrl', `cannot change: ${project} belongs to ${repoUrl}. Add the other repository as a library.`)
  }
  const active = ports.jobs.activeOf(libraryKey(library))
  if (active) {
    const message = `${project} has a job that is ${active.state}, which uses the old settings. Wait for its end or cancel job ${active.id} first.`
    throw new AppError('job_active', message, { fields: { project, status: active.state } })
  }
  const before = ports.catalog.settings(library)
  const after = changed(before, change, new Set(storedNames(ports, library)))
  if (selection(after) !== selection(before)) {
    const { branch, folders, excludeFolders, excludeFiles } = before
    after.outdated = ['', ...storedNames(ports, library)]
    after.applied ??= { branch, folders, excludeFolders, excludeFiles }
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
