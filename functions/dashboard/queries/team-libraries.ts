import pLimit from 'p-limit'
import { type LibraryId, parseLibraryId } from '../../../shared/library.ts'
import type { TeamspaceCaller } from '../../access/caller.ts'
import type { Teamspaces } from '../../access/teamspaces.ts'
import { knownLibrary, mayKnow, owns } from '../../access/visibility.ts'
import type { CatalogRecord } from '../../catalog/catalog-record.ts'
import type { HostedCatalog } from '../../catalog/hosted-catalog.ts'
import type { HostedJob, HostedJobs } from '../../jobs/hosted-jobs.ts'

export type TeamLibrariesPorts = {
  catalog: Pick<HostedCatalog, 'record' | 'whole'>
  jobs: Pick<HostedJobs, 'find'>
  teamspaces: Pick<Teamspaces, 'owned'>
}

const readsAtOnce = 8

/** The libraries that a teamspace has added or owns, by name. */
export async function teamLibraries(ports: TeamLibrariesPorts, caller: TeamspaceCaller) {
  const listed = await listedRecords(ports, caller)
  return listed.map(({ record, job }) => libraryAnswer(record, caller, job))
}

/** The unfinished jobs of those libraries, oldest first. */
export async function teamJobs(ports: TeamLibrariesPorts, caller: TeamspaceCaller) {
  const listed = await listedRecords(ports, caller)
  const jobs = listed.flatMap(({ record, job }) => (job ? [{ libraryId: record.library.id, ...jobAnswer(job) }] : []))
  return jobs.sort((a, b) => (a.createdAt < b.createdAt ? -1 : 1))
}

/** A library with the figures of its versions and the report of its last parse. Throws library_not_found. */
export async function teamLibrary(ports: TeamLibrariesPorts, caller: TeamspaceCaller, id: LibraryId) {
  const record = await knownLibrary(ports.catalog, caller, id)
  const [job, whole] = await Promise.all([ports.jobs.find(record.key), ports.catalog.whole(id)])
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
  return { ...libraryAnswer(record, caller, job), versions, report: (owns(caller, record) && whole?.report) || null }
}

type Listed = { record: CatalogRecord; job: HostedJob | undefined }

async function listedRecords({ catalog, jobs, teamspaces }: TeamLibrariesPorts, caller: TeamspaceCaller): Promise<Listed[]> {
  const keys = await teamspaces.owned(caller.teamspace)
  const found = await pLimit(readsAtOnce).map(keys, async (key): Promise<Listed[]> => {
    const [record, job] = await Promise.all([catalog.record(parseLibraryId(key)), jobs.find(key)])
    return record && mayKnow(caller, record.library) ? [{ record, job }] : []
  })
  return found.flat().sort((a, b) => (a.record.key < b.record.key ? -1 : 1))
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
