import { AppError } from '../../shared/errors.ts'
import { type LibraryId, libraryKey, printLibraryId } from '../../shared/library.ts'
import type { Log } from '../../shared/log.ts'
import type { GitHosts } from '../../shared/reading/git/git-hosts.ts'
import type { SettingsStore } from '../../shared/store/settings-store.ts'
import { actorOf, type Caller } from '../access/caller.ts'
import type { AuditLog } from '../accounts/audit-log.ts'
import { type ChangeSettingsPorts, changeSettings } from '../actions/change-settings.ts'
import { type ParsePorts, parseQueued, queueParse } from '../actions/queue-parse.ts'
import { type RemoveLibraryPorts, removeStored } from '../actions/remove-library.ts'
import type { InstallCatalog } from '../store/catalog/sqlite-catalog.ts'
import type { DeclaredBy, DeclaredStore } from '../store/declared/declared-store.ts'
import type { RunCounts } from '../store/declared/gitops-runs.ts'
import { wantsVersion } from './differences.ts'
import {
  declaredVersions,
  type PlanLibrariesPorts,
  type PlannedLibrary,
  planLibraries,
  type WantedLibrary,
} from './plan-libraries.ts'
import { type PlanSettingsPorts, planSettings, type SettingsPlan } from './plan-settings.ts'
import { type ReadManifest, rejected } from './read-manifest.ts'
import type { YamlProblem } from './yaml-worker.ts'

export type Plan = { libraries: PlannedLibrary[]; settings: SettingsPlan }

export type PlanPorts = PlanLibrariesPorts &
  PlanSettingsPorts & {
    /** The hosts that settings allow: a file may declare a host and libraries of it. */
    gitHostsOf(settings: Pick<SettingsStore, 'get'>): GitHosts
  }

export type ApplyPorts = PlanPorts &
  ParsePorts &
  ChangeSettingsPorts &
  RemoveLibraryPorts & {
    catalog: Pick<InstallCatalog, 'hide'>
    declared: DeclaredStore
    audit: AuditLog
    log: Log
    now(): Date
  }

export type ApplyOptions = { by: DeclaredBy; prune: boolean }

/** The changes that a file would make. Throws validation_error with the lines of everything that is wrong. */
export function planManifest(ports: PlanPorts, read: ReadManifest, { by, prune }: ApplyOptions): Plan {
  const problems: YamlProblem[] = []
  const settings = planSettings(ports, read, by, problems)
  const after = ports.settings.withChanges(settings.changes)
  const hosts = {
    gitHosts: () => ports.gitHostsOf(after),
    sourceHosts: { ...ports.sourceHosts, allowedHosts: () => after.get('sources.allowedHosts') },
  }
  const libraries = planLibraries({ ...ports, ...hosts }, read, { by, prune }, problems)
  if (problems.length > 0) throw rejected(problems)
  return { libraries, settings }
}

export type Applied = Plan & { counts: RunCounts; jobs: number[] }

/**
 * Makes the install as a file declares it: all in one transaction, with what `record` writes, so that a server that is killed has done all or
 * nothing. Libraries are queued. One that cannot be changed now is skipped. Throws validation_error and changes nothing if the file is wrong.
 */
export async function applyManifest(
  ports: ApplyPorts,
  caller: Caller,
  read: ReadManifest,
  { record, ...options }: ApplyOptions & { record(applied: Applied): void },
): Promise<Applied> {
  for (const { wanted } of planManifest(ports, read, options).libraries) if (wanted) ports.deletions.finish(wanted.id)
  const { applied, removed } = ports.atomically(() => {
    const plan = planManifest(ports, read, options)
    const { settings } = plan
    if (Object.keys(settings.changes).length > 0) changeSettings(ports, caller, settings.changes)
    ports.declared.putSettings(options.by, settings.declared)
    const jobs: number[] = []
    const removed: LibraryId[] = []
    const libraries = plan.libraries.map((planned) => {
      for (const version of planned.removedVersions) removed.push({ ...planned.id, version })
      if (planned.change === 'removed') removed.push(planned.id)
      return applyLibrary(ports, caller, planned, options.by, jobs)
    })
    for (const id of removed) hide(ports, caller, id)
    forgetOthers(ports, plan.libraries, options.by)
    const applied: Applied = { libraries, settings, jobs, counts: countsOf(libraries) }
    record(applied)
    return { applied, removed }
  })
  for (const id of removed) await removeStored(ports, id)
  return applied
}

function applyLibrary(
  ports: ApplyPorts,
  caller: Caller,
  planned: PlannedLibrary,
  by: DeclaredBy,
  jobs: number[],
): PlannedLibrary {
  const { id, wanted, change } = planned
  const earlier = ports.declared.library(id)
  if (!wanted) {
    if (earlier && change !== 'removed') ports.declared.putLibrary({ ...earlier, named: false })
    return planned
  }
  // A skipped library keeps the entry that it was read with.
  const entry = change === 'skipped' && earlier ? earlier.entry : entryOf(ports, planned, wanted)
  ports.declared.putLibrary({ id, by, entry, line: wanted.line, named: true })
  if (change !== 'added' && change !== 'changed') return planned
  try {
    const request = { ...wanted.request, complete: wanted.request.source === undefined, anonymous: false }
    jobs.push(queueParse(ports, caller, wanted.address, id, request, parseQueued).queueId)
    return planned
  } catch (error) {
    if (!(error instanceof AppError)) throw error
    return { ...planned, change: 'skipped', details: [error.message] }
  }
}

/** The entry, with the versions that an earlier file named and that are still here, so that a later `prune` deletes them. */
function entryOf({ catalog, declared }: ApplyPorts, { id, removedVersions }: PlannedLibrary, { request }: WantedLibrary): string {
  const earlier = declared.library(id)
  const stored = new Set(catalog.versions(id).map(({ version }) => version))
  const named = request.versions ?? []
  const earlierVersions = (earlier ? declaredVersions(earlier) : []).filter(
    (version) => stored.has(version) && !removedVersions.includes(version) && !wantsVersion(named, version),
  )
  return JSON.stringify({ ...request, ...(earlierVersions.length > 0 && { earlierVersions }) })
}

/** Nothing finds the library or version any more; the next start removes it if this process is killed before. */
function hide({ catalog, jobs, owners, declared, audit, now }: ApplyPorts, caller: Caller, id: LibraryId): void {
  if (id.version === undefined) {
    jobs.dismiss(libraryKey(id))
    owners.forget(id)
    declared.forgetLibrary(id)
  }
  if (catalog.find(id)) catalog.hide(id, now())
  audit.record({ actor: actorOf(caller), action: 'library.delete', subject: printLibraryId(id) })
}

/** Forgets libraries that the file no longer names and that are gone. */
function forgetOthers({ declared }: ApplyPorts, libraries: PlannedLibrary[], by: DeclaredBy): void {
  const keys = new Set(libraries.map(({ id }) => libraryKey(id)))
  for (const each of declared.libraries()) if (each.by === by && !keys.has(libraryKey(each.id))) declared.forgetLibrary(each.id)
}

function countsOf(libraries: PlannedLibrary[]): RunCounts {
  const count = (change: PlannedLibrary['change']) => libraries.filter((each) => each.change === change).length
  return {
    created: count('added'),
    updated: count('changed'),
    unchanged: count('unchanged') + count('kept'),
    pruned: count('removed'),
    skipped: count('skipped'),
  }
}
