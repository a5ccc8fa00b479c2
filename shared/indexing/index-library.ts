import { jobLlm } from '../ai/job-llm.ts'
import { AppError } from '../errors.ts'
import { libraryKey, printLibraryId, versionName } from '../library.ts'
import { findRef } from '../reading/git/remote-refs.ts'
import { readerPool } from '../reading/reader-pool.ts'
import { decideVersion, isReadable, outdatedCheck, type Wanted } from './decide-version.ts'
import { fetchDefault, fetchVersion, knownBranch, rejectMissingFolders, reportFolders } from './fetch-version.ts'
import type { IndexJob } from './index-job.ts'
import { indexVersion } from './index-version.ts'
import type { LibraryFacts, SourceSettings, StoredLibrary } from './indexing-catalog.ts'
import type { Content, IndexingPorts, JobProgress, JobRun, Outcome } from './job-run.ts'
import { libraryFacts, unchangedFacts } from './library-facts.ts'
import { openSource } from './open-source.ts'
import { withOptionalVersions } from './optional-versions.ts'
import { emptyReport } from './pages/index-report.ts'
import { addFailedVersion, addVersion, draftReport, finishReport, reportMissing } from './report-draft.ts'
import { repositoryState } from './repository-state.ts'
import { resolveRequest, spellings } from './resolve-request.ts'
import { mayExpire, ruleVersions } from './rule-versions.ts'
import { runOutcome } from './run-outcome.ts'
import { namedVersions, type StoredVersions, sourceSettings, versionsToIndex } from './source-settings.ts'

/**
 * Repository → files → generations. Switches the library to each version as soon as that is ready. If the run fails before that, the old
 * content of the version stays served, and the sweep deletes the unpublished generation.
 */
export async function indexLibrary(
  ports: IndexingPorts,
  job: IndexJob,
  progress: JobProgress,
  signal: AbortSignal,
): Promise<Outcome> {
  const began = ports.now().getTime()
  const stored: StoredVersions = new Map((await ports.catalog.versions(job.library)).map((each) => [each.version, each]))
  const draft = draftReport(job, [...stored.values()])
  const elapsedMs = () => ports.now().getTime() - began
  const embedding = ports.embedding?.()
  const folder = await ports.clones.make(job.id)
  const readers = readerPool(ports.limits.read)
  const llm = openModel(ports, job, progress, signal)
  if (llm) draft.llmTokens = llm.ask.spent
  const stopReading = () => void readers.close()
  signal.addEventListener('abort', stopReading, { once: true })
  try {
    await rejectExisting(ports, job)
    const source = await openSource(ports, job, { folder, progress, signal })
    const repository = await repositoryState(ports, job, source, signal)
    const { request: wanted, missing } = withOptionalVersions(source, job.request)
    reportMissing(draft, missing)
    const request = resolveRequest(source, wanted, stored, await ports.catalog.settings(job.library))
    const resolved = { ...job, request }
    const run = { ...ports, source, repository, embedding, llm, job: resolved, progress, draft, signal, readers, folder }
    await indexVersions(run, stored)
    return { report: finishReport(draft, elapsedMs()) }
  } catch (error) {
    await llm?.ask.close()
    if (!signal.aborted && !willRetry(error, ports, job)) addFailedVersion(draft)
    return { error, report: finishReport(draft, elapsedMs()) }
  } finally {
    signal.removeEventListener('abort', stopReading)
    await readers.close()
    await ports.clones.discard(folder)
  }
}

/** Throws duplicate_repo if the library exists, unless an earlier attempt of this job added it. */
async function rejectExisting({ catalog }: Pick<IndexingPorts, 'catalog'>, { id, library, request }: IndexJob): Promise<void> {
  if (!request.adds || !(await catalog.find(library))) return
  if ((await catalog.versions(library)).some(({ generation }) => generation.startsWith(`g${id}-`))) return
  throw new AppError(
    'duplicate_repo',
    `${printLibraryId(library)} was added by another caller before this job. Add it with an API key to replace it.`,
  )
}

function openModel(
  { llm, limits }: IndexingPorts,
  job: IndexJob,
  { log, spent }: JobProgress,
  signal: AbortSignal,
): JobRun['llm'] {
  try {
    const model = llm?.model()
    if (!llm || !model) return undefined
    const onSpent = (llmTokens: number) => spent?.({ llmTokens })
    const setup = { limits: limits.llm, spentTokens: (job.spent ?? job.report)?.llmTokens ?? 0, onSpent, signal, say: log }
    return { ask: jobLlm(model, setup), answers: llm.answers }
  } catch (error) {
    if (!(error instanceof AppError)) throw error
    log(`The language model is not used: ${error.message}`)
    return undefined
  }
}

/**
 * For the default content, whose project file names other versions, then for each of those: decide → fetch → index → publish → report. The old
 * content of a version is served until its new content is published.
 */
async function indexVersions(run: JobRun, stored: StoredVersions): Promise<void> {
  const { facts, content, named, projectBranch } = await indexDefault(run, stored)
  const isOutdated = await outdatedCheck(run, stored)
  const project = { named: spellings(run.source, named), projectBranch }
  const settings = await sourceSettings(run, stored, project, isOutdated)
  const rule = ruleVersions(run.source.refs.keys(), stored, settings, run.job.request.versions)
  settings.byRule = [...rule.wanted, ...rule.expired]
  if (rule.isIdle)
    reportMissing(run.draft, [{ path: `@${settings.tagRule?.tags}`, reason: 'No tag of a release matches the rule for tags.' }])
  await publish(run, { ...facts, settings }, content)
  const remaining = new Map([...stored].filter(([version]) => !rule.expired.has(version)))
  const failed = new Set<string>()
  for (const [version, ref] of versionsToIndex(run, remaining, settings, rule.wanted)) {
    const wanted = { version, ref, stored: stored.get(version) }
    const newContent = await indexOther(run, wanted, isOutdated).catch((error) => {
      failed.add(version)
      return reportFailed(run, version, error)
    })
    if (!newContent) continue
    settings.outdated = settings.outdated.filter((name) => name !== version)
    await publish(run, { ...facts, settings }, newContent)
  }
  await expireVersions(run, { ...facts, settings }, stored, mayExpire(rule.expired, failed))
}

/** Removes the versions that the rule no longer asks for, when the new ones are served. */
async function expireVersions(run: JobRun, facts: LibraryFacts, stored: StoredVersions, expired: string[]): Promise<void> {
  const { catalog, draft, progress, signal } = run
  const removed = expired.flatMap((version) => stored.get(version) ?? [])
  if (removed.length === 0) return
  signal.throwIfAborted()
  const byRule = facts.settings.byRule?.filter((tag) => !expired.includes(versionName(tag)))
  await catalog.publish({ ...facts, settings: { ...facts.settings, byRule } }, [], removed)
  for (const version of expired) draft.versions.delete(version)
  progress.log(`Removed by the rule for tags: ${expired.join(', ')}.`)
}

type Default = {
  facts: Omit<LibraryFacts, 'settings'>
  /** The new content; undefined if the served content is up to date. */
  content: Content | undefined
  /** Tags and branches that the project file names. */
  named: string[]
  projectBranch: SourceSettings['projectBranch']
}

/** decide → fetch → index. Decides again when the files are there, because the project file may name another branch. */
async function indexDefault(run: JobRun, versions: StoredVersions): Promise<Default> {
  const { catalog, clones, job, progress, snippets, source } = run
  const stored = versions.get('')
  const library = await catalog.find(job.library)
  const isLost = stored !== undefined && !(await isReadable(snippets, stored))
  if (isLost) progress.log('The served content cannot be read; all of it is replaced.')
  const isOutdated = isLost || (await outdatedCheck(run, versions))('')
  const isUnchanged = (at: { ref: string; commit: string }) =>
    !isOutdated && stored?.ref === at.ref && stored.commit === at.commit
  const keep = (current: StoredLibrary, named: string[], projectBranch: Default['projectBranch']): Default => {
    progress.log(`Commit ${stored?.commit.slice(0, 12)} is indexed already. Add it with force to refresh it anyway.`)
    return { facts: unchangedFacts(run, current), content: undefined, named, projectBranch }
  }
  const settings = await catalog.settings(job.library)
  const earlierBranch = isOutdated ? undefined : settings.projectBranch
  const { name, commit } = knownBranch(run, earlierBranch) ?? findRef(source, job.request.branch)
  if (library && isUnchanged({ ref: name, commit })) return keep(library, settings.named ?? [], earlierBranch)
  const fetched = await fetchDefault(run, earlierBranch)
  const { projectBranch } = fetched
  const named = namedVersions(fetched.project)
  if (library && isUnchanged(fetched)) {
    await clones.discard(fetched.folder)
    return keep(library, named, projectBranch)
  }
  const content = await indexVersion(run, await rejectMissingFolders(run, fetched, stored), '', stored)
  const facts = await libraryFacts(run, fetched, content.report)
  await clones.discard(fetched.folder)
  return { facts, content, named, projectBranch }
}

/** decide → fetch → index. Undefined if the version is up to date. */
async function indexOther(run: JobRun, wanted: Wanted, isOutdated: (version: string) => boolean): Promise<Content | undefined> {
  const decision = await decideVersion(run, wanted, isOutdated)
  if (decision === 'keep') return undefined
  if (decision !== 'read') return decision
  const fetched = await reportFolders(run, await fetchVersion(run, wanted.ref))
  const content = await indexVersion(run, fetched, wanted.version, wanted.stored)
  await run.clones.discard(fetched.folder)
  return content
}

/** Serves the new content, if there is any, and adds it to the report. */
async function publish(run: JobRun, facts: LibraryFacts, content: Content | undefined): Promise<void> {
  const { catalog, draft, job, llm, repository, signal } = run
  signal.throwIfAborted()
  await rejectExisting(run, job)
  await catalog.publish({ ...facts, ...(repository && { repository }) }, content ? [content.version] : [])
  if (!content) return
  const { version, report, skipped } = content
  llm?.answers(libraryKey(job.library), version.version, job.id).settle()
  addVersion(draft, { ...version, filesRead: report.filesRead, filesKept: report.filesKept }, skipped)
}

/** Adds the reason to the report: the library does not fail for one of its versions. Throws an error that ends the run. */
function reportFailed(run: JobRun, version: string, error: unknown): undefined {
  run.signal.throwIfAborted()
  if (!(error instanceof AppError) || willRetry(error, run, run.job)) throw error
  run.progress.log(`Version ${version}: ${error.message}`)
  run.draft.current ??= { version, report: emptyReport(), skipped: [] }
  addFailedVersion(run.draft)
  run.draft.skipped.push({ path: `@${version}`, reason: error.message })
}

const willRetry = (error: unknown, { limits }: Pick<IndexingPorts, 'limits'>, { attempts }: IndexJob): boolean =>
  error instanceof AppError &&
  runOutcome({ result: { error }, attempts, stopped: false }, { pausesMs: limits.retryPausesMs, retryUnexpected: false }).kind !==
    'failed'
