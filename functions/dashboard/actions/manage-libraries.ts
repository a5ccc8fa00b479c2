import { AppError } from '../../../shared/errors.ts'
import { requireMatch } from '../../../shared/http/etag.ts'
import {
  changedSettings,
  rejectOtherRepository,
  type SourceAnswer,
  type SourceChange,
  toSourceAnswer,
} from '../../../shared/indexing/source-change.ts'
import { type LibraryId, printLibraryId } from '../../../shared/library.ts'
import { findRepository } from '../../../shared/packages/find-repository.ts'
import { type Audit, audited } from '../../access/audit.ts'
import type { TeamspaceCaller } from '../../access/caller.ts'
import type { Plan, Teamspaces } from '../../access/teamspaces.ts'
import type { User } from '../../access/users.ts'
import { knownLibrary, ownedLibrary, owns } from '../../access/visibility.ts'
import type { HostedCatalog } from '../../catalog/hosted-catalog.ts'
import type { LibraryChecks } from '../../freshness/library-checks.ts'
import { planAgain } from '../../freshness/plan-again.ts'
import { type AddForTeamspacePorts, addForTeamspace, type RequestedLibrary } from '../../jobs/add-for-teamspace.ts'
import { type RefreshLibraryPorts, refreshLibrary } from '../../jobs/refresh-library.ts'
import { type RemoveLibraryPorts, removeLibrary } from '../../jobs/remove-library.ts'
import { actor } from './actor.ts'

export type ManageLibrariesPorts = Omit<AddForTeamspacePorts, 'teamspaces'> &
  RefreshLibraryPorts &
  Omit<RemoveLibraryPorts, 'teamspaces'> & {
    teamspaces: AddForTeamspacePorts['teamspaces'] & Pick<Teamspaces, 'owned' | 'disown'>
    catalog: Pick<HostedCatalog, 'whole' | 'changeSettings'>
    audit: Pick<Audit, 'begin'>
    checks: Pick<LibraryChecks, 'plan'>
    now(): Date
  }

/** The member who acts, and the plan of the teamspace. */
export type Acting = { caller: TeamspaceCaller; user: User; plan: Plan; requestId: string | undefined }

/** Adds a library. An existing public one is only added to the teamspace's list. Throws validation_error, and what `addForTeamspace` throws otherwise. */
export async function addTeamLibrary(
  ports: ManageLibrariesPorts,
  acting: Acting,
  request: RequestedLibrary,
): Promise<{ libraryId: string; isNew: boolean }> {
  const { repoUrl, source, isPrivate } = request
  const { webUrl: repository } = findRepository(repoUrl, ports.gitHosts(), source).address
  return addTeamSource(ports, acting, { repository, isPrivate }, () =>
    addForTeamspace(ports, acting.caller, { ...request, requestId: acting.requestId }),
  )
}

/** Adds a library from a source of any kind, as `add` does. `repository` is its address or name in the audit log, without secrets. */
export async function addTeamSource(
  ports: Pick<ManageLibrariesPorts, 'audit'>,
  acting: Acting,
  { repository, isPrivate }: { repository: string; isPrivate: boolean },
  add: () => Promise<{ project: string }>,
): Promise<{ libraryId: string; isNew: boolean }> {
  try {
    const { project } = await changing(ports, acting, 'addLibrary', { after: { repository, private: String(isPrivate) } }, add)
    return { libraryId: project, isNew: true }
  } catch (error) {
    const { project } = error instanceof AppError && error.code === 'duplicate_repo' ? error.fields : {}
    if (isPrivate || typeof project !== 'string') throw error
    return { libraryId: project, isNew: false }
  }
}

/** Throws library_not_found, job_active, rate_limit_exceeded. */
export async function refreshTeamLibrary(ports: ManageLibrariesPorts, acting: Acting, id: LibraryId): Promise<void> {
  const { library } = await knownLibrary(ports.catalog, acting.caller, id)
  await changing(ports, acting, 'refreshLibrary', { after: { library: library.id } }, () =>
    ports.rateLimits.add(acting.caller, () => refreshLibrary(ports, id, undefined, acting.requestId)),
  )
}

/**
 * Deletes a library of the teamspace, or one version of it. A library of others only leaves the teamspace's list: returns false.
 * Throws library_not_found, tag_not_found, job_active, and forbidden for a public library if the plan is free.
 */
export async function deleteTeamLibrary(ports: ManageLibrariesPorts, acting: Acting, id: LibraryId): Promise<boolean> {
  const record = await knownLibrary(ports.catalog, acting.caller, id)
  const before = { library: printLibraryId(id) }
  if (!owns(acting.caller, record)) {
    await changing(ports, acting, 'unlistLibrary', { before }, () => ports.teamspaces.disown(acting.caller.teamspace, record.key))
    return false
  }
  if (!record.library.private && acting.plan === 'free')
    throw new AppError('forbidden', 'Deleting a public library requires a paid plan or a team plan.')
  await changing(ports, acting, 'deleteLibrary', { before }, () => removeLibrary(ports, id))
  return true
}

/** The repository and the settings of the next refresh. Throws library_not_found, access_denied. */
export async function teamSource(
  { catalog }: Pick<ManageLibrariesPorts, 'catalog'>,
  caller: TeamspaceCaller,
  id: LibraryId,
): Promise<SourceAnswer> {
  const record = await ownedLibrary(catalog, caller, id)
  const versions = (await catalog.whole(id))?.versions ?? new Map()
  return toSourceAnswer(record.sourceUrl, record.settings, versions)
}

/** Changes the settings of the next refresh. Throws library_not_found, access_denied, validation_error, precondition_failed, job_active. */
export async function changeTeamSource(
  ports: ManageLibrariesPorts,
  acting: Acting,
  id: LibraryId,
  { change, ifMatch }: { change: SourceChange; ifMatch: string | undefined },
): Promise<SourceAnswer> {
  const { catalog, jobs } = ports
  const { key, library, sourceUrl } = await ownedLibrary(catalog, acting.caller, id)
  rejectOtherRepository(change, { id: library.id, repoUrl: sourceUrl }, ports.gitHosts())
  if (change.private !== undefined)
    throw new AppError('validation_error', 'private cannot be changed: add the repository again to change who may read it.')
  const job = await jobs.find(key)
  if (job) {
    const message = `${library.id} has a job that is ${job.state}, which uses the old settings. Wait for its end.`
    throw new AppError('job_active', message, { fields: { project: library.id, status: job.state } })
  }
  const after = { library: library.id, settings: Object.keys(change) }
  await changing(ports, acting, 'changeSource', { after }, () =>
    catalog.changeSettings(id, (settings, versions) => {
      requireMatch(ifMatch, { '': toSourceAnswer(sourceUrl, settings, versions) })
      return changedSettings(settings, change, new Set([...versions.keys()].filter((name) => name !== '')))
    }),
  )
  if (change.schedule !== undefined) await planAgain(ports, key, change.schedule)
  return teamSource(ports, acting.caller, id)
}

/** Makes a change of a member, with its audit entry. */
export const changing = <T>(
  { audit }: { audit: Pick<Audit, 'begin'> },
  { caller, user }: Pick<Acting, 'caller' | 'user'>,
  what: string,
  facts: Pick<Parameters<typeof audited>[1], 'before' | 'after'>,
  work: () => Promise<T>,
): Promise<T> => audited(audit, { who: actor(user), what, teamspace: caller.teamspace, ...facts }, work)
