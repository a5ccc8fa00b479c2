import { statSync } from 'node:fs'
import { fileURLToPath } from 'node:url'
import { AppError } from '../../shared/errors.ts'
import { hostPauses } from '../../shared/freshness/host-pauses.ts'
import { readSchedule } from '../../shared/freshness/refresh-schedule.ts'
import { limits } from '../../shared/indexing/limits.ts'
import { vendorKeyFiles } from '../../shared/keys/vendor-keys.ts'
import type { ServerLog } from '../../shared/log.ts'
import { logProgress, type ShowProgress } from '../../shared/logging/show-progress.ts'
import { operatorChooses } from '../../shared/network/allowed-hosts.ts'
import { isLoopbackHost } from '../../shared/network/private-address.ts'
import { withBitbucket } from '../../shared/reading/git/git-hosts.ts'
import { tokenOf } from '../../shared/reading/git/host-token.ts'
import { questionLimits, questionQueue } from '../../shared/search/question/question-queue.ts'
import { readRequestLimits } from '../../shared/settings/request-limits.ts'
import { asStartError } from '../../shared/store/database.ts'
import { lockDataDir, openDataDir } from '../../shared/store/open-data-dir.ts'
import { packageVersion } from '../../shared/system/package-version.ts'
import { utcDay } from '../../shared/time/utc-day.ts'
import { recordUsage } from '../../shared/usage/record-usage.ts'
import { noRateLimits, rateLimits } from '../access/rate-limits.ts'
import { type BundleRequest, buildBundle } from '../bundles/bundle-status.ts'
import { exportLimits } from '../bundles/export-library.ts'
import { zipLimits } from '../bundles/plan-zip.ts'
import { catalogSnapshot, publishSnapshot, repairSnapshot } from '../catalog/catalog-snapshot.ts'
import { usageHandler } from '../counting/usage-handler.ts'
import type { Hosted } from '../hosted.ts'
import { objectUploads } from '../objects/object-uploads.ts'
import { localWorker } from '../worker/local-worker.ts'
import { consumeStream } from './consume-stream.ts'
import type { LocalConfig } from './local-config.ts'
import { type Closing, openStores } from './open-stores.ts'
import { runSchedule } from './run-schedule.ts'
import { vendorPems } from './vendor-pems.ts'

export type Local = {
  hosted: Hosted
  /** Counts usage, runs the jobs of the queue and the scheduled tasks, until `close`. */
  begin(): void
  close(): Promise<void>
}

type Env = Record<string, string | undefined>
export type LocalEnvironment = Pick<
  LocalConfig,
  'DATA_DIR' | 'HOST' | 'NODE_EXTRA_CA_CERTS' | 'REQUEST_LIMITS' | 'TERMS_FILE' | 'PRIVACY_FILE'
> & {
  /** Shows running jobs; by default in the log. */
  showProgress?: ShowProgress
}
type Opening = Omit<LocalEnvironment, 'DATA_DIR'> & {
  dataDir: string
  env: Env
  log: ServerLog
  closing: Closing
  close(): Promise<void>
}

const snapshotMs = 250
/** The program of a checkout: the on-premise half has it too, and builds it with its web UI. */
const clientProgram = fileURLToPath(new URL('../../onprem/web/dist/cli.mjs', import.meta.url))

/** Opens the whole hosted half on a data directory and locks it until `close`. Throws an AppError with one sentence if that fails. */
export async function openLocal(config: LocalEnvironment, env: Env, log: ServerLog): Promise<Local> {
  const dataDir = openDataDir(config.DATA_DIR)
  const closing: Closing = []
  const close = async () => {
    for (const each of closing.splice(0).reverse()) {
      await Promise.resolve()
        .then(each)
        .catch((error: unknown) => log.error({ error }, 'a store could not be closed'))
    }
  }
  try {
    const lock = lockDataDir(dataDir, 'hosted')
    closing.push(() => lock.release())
    return await open({ ...config, dataDir, env, log, closing, close })
  } catch (error) {
    await close()
    throw asStartError(error, dataDir)
  }
}

async function open({
  HOST,
  NODE_EXTRA_CA_CERTS,
  REQUEST_LIMITS,
  TERMS_FILE,
  PRIVACY_FILE,
  dataDir,
  env,
  log,
  showProgress = logProgress(log),
  closing,
  close,
}: Opening): Promise<Local> {
  const now = () => new Date()
  const stores = await openStores({ dataDir, log, now, closing })
  const { catalog, clones, counters, objects, salts, settings, snippets, stream } = stores
  const loopback = isLoopbackHost(HOST)
  const { publicPems, signingPem } = vendorPems({ ...stores, keyFiles: vendorKeyFiles(env), dataDir, loopback })
  // The salt is read ahead, so that no request waits for it.
  void salts.saltOf(utcDay(now())).catch(() => undefined)

  const gitHosts = () =>
    withBitbucket({
      github: { baseUrl: settings.get('github.baseUrl') },
      gitlab: { baseUrl: settings.get('gitlab.baseUrl') },
      others: settings.get('git.hosts'),
    })
  const gitToken = (host: string) => tokenOf(settings, host)
  const git = {
    gitHosts,
    gitToken,
    gitAccess: { env, caFile: NODE_EXTRA_CA_CERTS },
    sourceHosts: { allowedHosts: () => settings.get('sources.allowedHosts'), mayBePrivate: false, unlisted: operatorChooses },
    asksForFacts: () => true,
  }
  const publishNames: Hosted['publishNames'] = (how) => publishSnapshot({ ...stores, now }, { ...how, force: how?.whole })
  const worker = localWorker({
    ...stores,
    ...git,
    uploads: objectUploads(objects),
    limits,
    log,
    now,
    publish: (signal) => publishSnapshot({ ...stores, now }, { signal }),
    showProgress,
  })
  const queue = { send: async () => worker.wake() }

  const building = new Set<Promise<void>>()
  const stoppingBuilds = new AbortController()
  const runBundle = async (request: BundleRequest) => {
    const ports = { ...stores, log, now, limits: zipLimits, signingPem }
    const built: Promise<void> = buildBundle(ports, request, stoppingBuilds.signal).finally(() => building.delete(built))
    building.add(built)
  }
  closing.push(() => {
    const why = 'The server stopped before the bundle was built. Build it again.'
    stoppingBuilds.abort(new AppError('temporarily_unavailable', why))
    return Promise.all(building)
  })

  let repairing: Promise<unknown> = Promise.resolve()
  const repair = () => {
    const repaired = repairSnapshot({ ...stores, now })
    repairing = repaired.catch(() => undefined)
    return repaired
  }
  closing.push(() => repairing)
  const names = catalogSnapshot({ catalog, objects, repair, refreshMs: snapshotMs, now, log })
  const hosted: Hosted = {
    ...stores,
    ...git,
    version: packageVersion(),
    clientProgram,
    texts: { terms: textFile(TERMS_FILE, 'terms'), privacy: textFile(PRIVACY_FILE, 'privacy') },
    startedAtMs: performance.now(),
    now,
    log,
    names,
    publishNames,
    queue,
    questions: questionQueue(questionLimits),
    runBundle,
    publicPems,
    record: (request) => recordUsage({ stream, salts, log, now }, request),
    probeMs: limits.probeMs,
    limits: exportLimits,
    async ready() {
      await Promise.all([catalog.record({ owner: 'ready', repo: 'ready' }), names.listed()])
      return true
    },
    originSecrets: undefined,
    onForeign: () => undefined,
    rateLimits: REQUEST_LIMITS
      ? rateLimits({ ...stores, limits: readRequestLimits(REQUEST_LIMITS), counts: stores.requestCounts, log, now })
      : noRateLimits,
    loopback,
  }
  return {
    hosted,
    begin() {
      const consumer = consumeStream({ stream, handler: usageHandler({ counters, log, now }), log, now })
      closing.push(() => consumer.stop())
      const workerStarted = clones
        .empty()
        .catch((error: unknown) => log.error({ error }, 'old clones cannot be removed'))
        .then(() => worker.start())
      closing.push(() => workerStarted.then(() => worker.stop()))
      const schedule = runSchedule({
        ...stores,
        ...git,
        // Searches answer from their last snapshot while the next one is read, so checks must not load theirs early.
        names: catalogSnapshot({ catalog, objects, refreshMs: snapshotMs, now, log }),
        probeMs: limits.probeMs,
        hosts: hostPauses(now),
        defaultSchedule: () => readSchedule(settings.get('refresh.schedule')) ?? 'weekly',
        maxJobs: settings.get('refresh.parallel'),
        queue,
        snippets,
        log,
        now,
        retiredMs: limits.retiredMs,
        workers: 1,
      })
      closing.push(() => schedule.stop())
    },
    close,
  }
}

/** The operator's file, or the one that comes with the pages. Throws validation_error if it cannot be read. */
function textFile(path: string | undefined, name: keyof Hosted['texts']): string {
  if (path === undefined) return fileURLToPath(new URL(`../pages/texts/${name}.md`, import.meta.url))
  if (isFile(path)) return path
  throw new AppError('validation_error', `${name.toUpperCase()}_FILE must be a Markdown file; ${path} is none.`)
}

const isFile = (path: string): boolean => statSync(path, { throwIfNoEntry: false })?.isFile() === true
