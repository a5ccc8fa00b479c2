import type { LibraryId } from '../../../shared/library.ts'
import type { TeamspaceCaller } from '../../access/caller.ts'
import type { Teamspaces } from '../../access/teamspaces.ts'
import { knownLibrary, mayKnow, owns } from '../../access/visibility.ts'
import type { CatalogRecord } from '../../catalog/catalog-record.ts'
import type { HostedCatalog } from '../../catalog/hosted-catalog.ts'
import { checkFacts, type LibraryChecks } from '../../freshness/library-checks.ts'
import type { HostedJob, HostedJobs } from '../../jobs/hosted-jobs.ts'

export type TeamLibrariesPorts = {
  catalog: Pick<HostedCatalog, 'record' | 'records' | 'whole'>
  checks: Pick<LibraryChecks, 'find' | 'findAll'>
  jobs: Pick<HostedJobs, 'active' | 'find'>
  teamspaces: Pick<Teamspaces, 'owned'>
}

/** The libraries that a teamspace has added or owns, by name. */
export async function teamLibraries(ports: TeamLibrariesPorts, caller: TeamspaceCaller) {
  const [keys, active] = await Promise.all([ports.teamspaces.owned(caller.teamspace), ports.jobs.active()])
  const jobs = new Map(active.map((job) => [job.key, job]))
  const [records, checks] = await Promise.all([visibleRecords(ports, caller, keys), ports.checks.findAll(keys)])
  return records.map((record) => ({
    ...libraryAnswer(record, caller, jobs.get(record.key)),
    ...checkFacts(checks.get(record.key), record.served?.updatedAt),
  }))
}

/** The unfinished jobs of those libraries, oldest first. */
export async function teamJobs(ports: TeamLibrariesPorts, caller: TeamspaceCaller) {
  const [keys, active] = await Promise.all([ports.teamspaces.owned(caller.teamspace), ports.jobs.active()])
  const ofTeamspace = active.filter(({ key }) => keys.includes(key))
  const listed = await visibleRecords(
    ports,
    caller,
    ofTeamspace.map(({ key }) => key),
  )
  const ids = new Map(listed.map(({ key, library }) => [key, library.id]))
  const jobs = ofTeamspace.flatMap((job) => {
    const libraryId = ids.get(job.key)
    return libraryId === undefined ? [] : [{ libraryId, ...jobAnswer(job) }]
  })
  return jobs.sort((a, b) => (a.createdAt < b.createdAt ? -1 : 1))
}

/** A library with the figures of its versions and the report of its last parse. Throws library_not_found. */
export async function teamLibrary(ports: TeamLibrariesPorts, caller: TeamspaceCaller, id: LibraryId) {
  const record = await knownLibrary(ports.catalog, caller, id)
  const [job, whole, check] = await Promise.all([
    ports.jobs.find(record.key),
    ports.catalog.whole(id),
    ports.checks.find(record.key),
  ])
  const versions = [...(whole?.versions.values() ?? [])].map(
    ({ version, ref, commit, commitDate, updatedAt, snippets, tokens }) => ({
      version,
      ref,
      commit,
      commitDate: commitDate ?? null,
      updatedAt,
      snippets,
      tokens,
    }),
  )
  const freshness = checkFacts(check, record.served?.updatedAt)
  return {
    ...libraryAnswer(record, caller, job),
    ...freshness,
    versions,
    report: (owns(caller, record) && whole?.report) || null,
  }
}

async function visibleRecords(
  { catalog }: Pick<TeamLibrariesPorts, 'catalog'>,
  caller: TeamspaceCaller,
  keys: string[],
): Promise<CatalogRecord[]> {
  const records = await catalog.records(keys)
  const visible = records.filter(({ library }) => mayKnow(caller, library))
  return visible.sort((a, b) => (a.key < b.key ? -1 : 1))
}

function libraryAnswer(record: CatalogRecord, caller: TeamspaceCaller, job: HostedJob | undefined) {
  const { library, addedAt, lastError = null } = record
  const { id, title, description, state, branch, sourceUrl, totalSnippets, totalTokens, lastUpdateDate, versions } = library
  return {
    id,
    title,
    description,
    state,
    private: library.private,
    owned: owns(caller, record),
    branch,
    sourceUrl,
    addedAt,
    lastUpdateDate,
    totalSnippets,
    totalTokens,
    tags: versions,
    lastError,
    job: job ? jobAnswer(job) : null,
  }
}

const jobAnswer = ({ id, state, createdAt, dueAt, attempts, progress }: HostedJob) => ({
  id,
  state,
  createdAt,
  dueAt,
  attempts,
  progress,
})
