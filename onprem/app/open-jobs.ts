import { rmSync } from 'node:fs'
import { join } from 'node:path'
import type { DatabaseSync } from 'node:sqlite'
import { suspectTexts } from '../../shared/ai/suspect-texts.ts'
import { type Clones, openClones } from '../../shared/indexing/clones.ts'
import { checkEmbedder } from '../../shared/indexing/embedding/embed-rows.ts'
import type { PreviewParse } from '../../shared/indexing/preview-repository.ts'
import { sweeper } from '../../shared/indexing/sweeper.ts'
import type { Log } from '../../shared/log.ts'
import type { HostRules } from '../../shared/network/allowed-hosts.ts'
import type { GitAccess } from '../../shared/reading/git/git-access.ts'
import { type GitHealth, gitHealth } from '../../shared/reading/git/git-health.ts'
import type { GitHosts } from '../../shared/reading/git/git-hosts.ts'
import { githubAppTokens } from '../../shared/reading/git/github-app.ts'
import { appOf, tokenOf } from '../../shared/reading/git/host-token.ts'
import type { RepoAddress } from '../../shared/reading/git/repo-address.ts'
import { folderUploads } from '../../shared/sources/uploads/stored-upload.ts'
import { confluenceCredentials as storedCredentials } from '../../shared/store/confluence-credentials.ts'
import { transaction } from '../../shared/store/database.ts'
import type { SettingsStore } from '../../shared/store/settings-store.ts'
import { rejectMoved } from '../access/reject-moved.ts'
import type { LibraryRules } from '../accounts/library-rules.ts'
import { embedPublished, rebuildOutdated } from '../actions/enqueue-reindex.ts'
import { openPreviews } from '../actions/preview-parse.ts'
import type { EventFeed } from '../events/event-feed.ts'
import { type CheckLoop, checkLoop } from '../freshness/check-loop.ts'
import { noteJobEnd } from '../freshness/note-job-end.ts'
import { jobRunner } from '../jobs/job-runner.ts'
import { type JobWorker, jobWorker } from '../jobs/job-worker.ts'
import type { Instruments } from '../monitoring/instruments.ts'
import type { MeasuredRuns } from '../monitoring/measure-runs.ts'
import type { Damage } from '../store/data-dir/damage.ts'
import type { DataPaths } from '../store/data-dir/data-paths.ts'
import type { DiskGuard } from '../store/data-dir/disk-guard.ts'
import type { DiskReserve } from '../store/data-dir/disk-reserve.ts'
import { websiteCopies } from '../store/data-dir/website-copies.ts'
import { sqliteAnswers, sweepAnswers } from '../store/sqlite-answers.ts'
import { sweepVectors, sweptWithVectors } from '../store/vectors/sweep-vectors.ts'
import type { EdgePorts } from './edge-ports.ts'
import type { ContentPorts } from './open-content.ts'
import type { ModelPorts } from './open-models.ts'

export type JobPorts = {
  worker: Pick<JobWorker, 'wake' | 'cancel'>
  previewParse: PreviewParse
  gitHosts(): GitHosts
  /** The hosts that these settings allow. */
  gitHostsOf(settings: Pick<SettingsStore, 'get'>): GitHosts
  clones: Pick<Clones, 'make' | 'discard'>
  /** The stored token of a host. Throws data_damaged if it cannot be decrypted. */
  gitToken(host: string): string | undefined
  appToken(address: RepoAddress, signal: AbortSignal): Promise<string | undefined>
  git: GitHealth
  gitAccess: Omit<GitAccess, 'token'>
  sourceHosts: HostRules
}

type Input = Pick<EdgePorts, 'limits' | 'previewLimits' | 'embeddingRetries' | 'now'> & {
  content: ContentPorts
  ai: ModelPorts['ai']
  network: Omit<GitAccess, 'token'>
  dataDir: string
  db: DatabaseSync
  settings: SettingsStore
  libraryRules: Pick<LibraryRules, 'current'>
  events: EventFeed
  damage: Damage
  paths: DataPaths
  disk: DiskGuard
  reserve: DiskReserve
  showProgress: MeasuredRuns['showProgress']
  instruments: Pick<Instruments, 'libraryChecks'>
  log: Log
  /** Aborts when the server stops. */
  stopping: AbortSignal
  /** True if outdated content is rebuilt while no job is queued. */
  rebuilds: boolean
  /** Runs after each job, outside of its transaction. */
  jobEnded(): void
}

export type OpenedJobs = {
  ports: JobPorts
  worker: JobWorker
  checkLibraries: CheckLoop
  clones: Clones
  /** Deletes data that is neither served nor needed by a job. */
  sweep(): Promise<void>
}

/** Opens what jobs and previews need. No job runs until `worker.start`. */
export function openJobs(input: Input): OpenedJobs {
  const { content, ai, network, dataDir, db, settings, events, damage, paths, disk, showProgress, log, stopping } = input
  const { limits, now, reserve } = input
  const { catalog, checks, imports, jobs, snippets, textIndex, vectors } = content
  const clones = openClones(join(dataDir, 'clones'), log)
  const gitHosts = () => gitHostsOf(settings)
  const gitToken = (host: string) => tokenOf(settings, host)
  const appTokens = githubAppTokens(now)
  const appToken = async (address: RepoAddress, signal: AbortSignal) => {
    const app = appOf(settings, address.host)
    return app && appTokens.tokenFor(address, app, { ...network, timeMs: limits.probeMs, signal })
  }
  const sourceHosts = { allowedHosts: () => settings.get('sources.allowedHosts'), mayBePrivate: true }
  const uploads = folderUploads(join(dataDir, 'imports'))
  const confluenceCredentials = (site: string) => storedCredentials(settings, site)
  const options = { ...input.embeddingRetries, suspects: suspectTexts() }
  const embedding = () => {
    const embedder = ai.embedder()
    return embedder && { embedder, vectors, options }
  }
  const llm = { model: () => ai.llm(), answers: sqliteAnswers(db) }
  const copies = websiteCopies(join(dataDir, 'websites'), { catalog, jobs })
  const asksForFacts = () => settings.get('git.repositoryFacts')
  const sshFolder = join(dataDir, 'ssh')
  // A server that was killed has left the keys of its connections.
  rmSync(sshFolder, { recursive: true, force: true })
  const gitAccess = { ...network, sshFolder }
  const rejects = (from: RepoAddress, to: RepoAddress) => rejectMoved(input.libraryRules, from, to)
  const source = { gitHosts, gitToken, appToken, gitAccess, rejectMoved: rejects }
  const git = { ...source, sourceHosts, confluenceCredentials, uploads, asksForFacts }
  const ports = { ...git, catalog, snippets, embedding, llm, clones, limits, now, pageCopies: copies.folderOf }
  const sweepPorts = { catalog, jobs, vectors, now }
  const rebuildNext = rebuildOutdated({ catalog, jobs, snippets, log })
  const sweepContent = sweeper({ catalog: sweptWithVectors(sweepPorts), snippets, log, now }, limits.retiredMs)
  const sweep = async () => {
    await imports.sweep()
    await sweepContent()
    await sweepVectors(sweepPorts)
    await copies.sweep()
    sweepAnswers(db)
    await textIndex.sweep()
    if (input.rebuilds) rebuildNext()
  }
  const embedNew = embedPublished({ ai, catalog, jobs, vectors })
  const noteEnd = noteJobEnd({ catalog, checks, jobs, settings, now })
  const worker = jobWorker({
    jobs,
    log,
    disk,
    reserve,
    atomically: (work) => transaction(db, work),
    paths,
    diskCheckMs: limits.diskCheckMs,
    waitsChanged() {
      for (const { id } of jobs.active()) events.changed({ event: 'job', id })
    },
    now,
    retryPausesMs: limits.retryPausesMs,
    sweep,
    noteDamage: damage.note,
    providerAnswers: (signal) => checkEmbedder(ai.embedder(), signal),
    run: jobRunner({ ...ports, imports, vectors }),
    ended(id, end) {
      embedNew(id)
      noteEnd(id, end)
      checkLibraries.wake()
      queueMicrotask(input.jobEnded)
    },
    showProgress,
  })
  const checkLibraries = checkLoop({
    ...ports,
    checks,
    jobs,
    settings,
    worker,
    checked: (outcome) => input.instruments.libraryChecks.inc({ outcome }),
    noteDamage: damage.note,
    atomically: (work) => transaction(db, work),
    log,
  })
  const previewParse = openPreviews({ ...ports, jobs, ai, stopping }, input.previewLimits)
  const health = gitHealth(network.env)
  const jobPorts = { worker, previewParse, gitHosts, gitHostsOf, clones, gitToken, appToken, git: health, gitAccess, sourceHosts }
  return { ports: jobPorts, worker, checkLibraries, clones, sweep }
}

function gitHostsOf(settings: Pick<SettingsStore, 'get'>): GitHosts {
  return {
    github: { baseUrl: settings.get('github.baseUrl'), appId: settings.get('github.appId') },
    gitlab: { baseUrl: settings.get('gitlab.baseUrl') },
    others: settings.get('git.hosts'),
  }
}
