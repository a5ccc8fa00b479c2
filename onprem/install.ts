import { readFileSync } from 'node:fs'
import { mkdir } from 'node:fs/promises'
import { join } from 'node:path'
import { serve } from '@hono/node-server'
import { pino } from 'pino'
import { isLoopbackHost } from '../shared/base-url.ts'
import { AppError } from '../shared/errors.ts'
import { removeTree } from '../shared/ingest/remove-tree.ts'
import type { GitHosts } from '../shared/ingest/repo-address.ts'
import type { Log } from '../shared/log.ts'
import type { SnippetStore } from '../shared/search/snippet-store.ts'
import { lanceSnippets } from '../shared/store/lance-snippets.ts'
import type { App } from './app.ts'
import type { Config } from './config.ts'
import { vendorDir } from './dev-pairs.ts'
import { sqliteJobs } from './jobs/job-store.ts'
import { parseLibrary } from './jobs/parse-library.ts'
import { startWorker } from './jobs/worker.ts'
import { resolveLicense } from './resolve-license.ts'
import { createServer } from './server.ts'
import { secretBox } from './settings/secrets.ts'
import { lockDataDir, openDataDir } from './store/data-dir.ts'
import { openDatabase } from './store/database.ts'
import { sqliteKeys } from './store/key-store.ts'
import { sqliteLicenses } from './store/license-records.ts'
import { type SettingsStore, sqliteSettings } from './store/settings-store.ts'
import { type ProjectCatalog, sqliteCatalog } from './store/sqlite-catalog.ts'

export type Install = { url: string; app: App; stop(): Promise<void> }

/** Generations stay this long after their library was switched: another reader may still hold the old pointer. */
const retiredMs = 10 * 60_000
const sweepEveryMs = 60_000

/** Opens the stores, listens, then works the queue off. Throws AppError with one sentence where it cannot start. */
export async function startInstall(config: Config, env: Record<string, string | undefined>, log: Log): Promise<Install> {
  const now = () => new Date()
  const dataDir = openDataDir(config.DATA_DIR)
  const lock = lockDataDir(dataDir)
  const db = openDatabase(dataDir)
  const settings = sqliteSettings(db, secretBox(dataDir))
  const { license, note } = await resolveLicense(
    { dataDir, vendorDir, licenses: sqliteLicenses(db, now), now },
    { licenseKey: config.LICENSE_KEY, host: config.HOST },
  )
  const catalog = sqliteCatalog(db, now)
  const snippets = lanceSnippets(join(dataDir, 'snippets'))
  const jobs = sqliteJobs(db, now)
  const clones = join(dataDir, 'clones')
  const gitHosts = () => gitHostsOf(settings)
  const gitAccess = { env, caFile: config.NODE_EXTRA_CA_CERTS }
  const sweep = () => sweepGenerations(catalog, snippets, new Date(now().getTime() - retiredMs))
  const worker = startWorker({
    jobs,
    log,
    now,
    sweep,
    run: (job, progress, signal) => parseLibrary({ catalog, snippets, gitHosts, gitAccess, clones, now }, job, progress, signal),
  })
  const app: App = {
    version: packageVersion(),
    startedAt: now(),
    now,
    log,
    license,
    settings,
    keys: sqliteKeys(db, now),
    catalog,
    snippets,
    jobs,
    worker,
    gitHosts,
    gitAccess,
    loopback: isLoopbackHost(config.HOST),
  }
  const opened = openStores(dataDir, clones, snippets)
  const server = createServer(app, () => opened.then(() => true))
  const { port, close } = await listen(server.fetch, config)
  if (note !== undefined) log.info({ license: license.id, kind: license.kind }, note)
  const url = `http://${config.HOST.includes(':') ? `[${config.HOST}]` : config.HOST}:${port}`
  log.info({ url, dataDir }, 'listening')
  const interrupted = jobs.recover()
  if (interrupted > 0) log.warn({ jobs: interrupted }, 'jobs were interrupted and start over')
  const working = opened.then(async () => {
    await sweep()
    worker.wake()
  })
  working.catch((error: unknown) => log.error({ error }, 'the stores cannot be opened'))
  const timer = setInterval(() => void sweep().catch((error: unknown) => log.error({ error }, 'the sweep failed')), sweepEveryMs)
  return {
    url,
    app,
    async stop() {
      clearInterval(timer)
      await close()
      await working.catch(() => undefined)
      await worker.stop()
      snippets.close()
      db.close()
      lock.release()
    },
  }
}

/** What takes time and nobody needs before the port listens. */
async function openStores(_dataDir: string, clones: string, snippets: SnippetStore): Promise<void> {
  await removeTree(clones)
  await mkdir(clones, { recursive: true, mode: 0o700 })
  await snippets.generations()
}

async function sweepGenerations(catalog: ProjectCatalog, snippets: SnippetStore, retiredBefore: Date): Promise<void> {
  for (const generation of catalog.unowned(await snippets.generations(), retiredBefore)) {
    await snippets.drop(generation)
    catalog.forget(generation)
  }
}

function gitHostsOf(settings: SettingsStore): GitHosts {
  return {
    github: { baseUrl: settings.get('github.baseUrl'), token: settings.getSecret('github.token') },
    gitlab: { baseUrl: settings.get('gitlab.baseUrl'), token: settings.getSecret('gitlab.token') },
  }
}

function listen(
  fetch: Parameters<typeof serve>[0]['fetch'],
  { HOST, PORT }: Config,
): Promise<{ port: number; close(): Promise<void> }> {
  return new Promise((resolve, reject) => {
    const server = serve({ fetch, hostname: HOST, port: PORT }, ({ port }) =>
      resolve({
        port,
        close: () =>
          new Promise((closed) => {
            server.close(() => closed())
            if ('closeIdleConnections' in server) server.closeIdleConnections()
          }),
      }),
    )
    server.on('error', (error: Error & { code?: string }) =>
      reject(new AppError('internal_error', cannotListen(error, HOST, PORT), { cause: error })),
    )
  })
}

function cannotListen(error: Error & { code?: string }, host: string, port: number): string {
  if (error.code === 'EADDRINUSE') return `Port ${port} on ${host} is taken by another program; set PORT to a free one.`
  if (error.code === 'EACCES') return `Port ${port} may not be used by this user; set PORT to one above 1023.`
  if (error.code === 'EADDRNOTAVAIL' || error.code === 'ENOTFOUND') return `HOST ${host} is not an address of this machine.`
  return `The server cannot listen on ${host}, port ${port}: ${error.message}.`
}

function packageVersion(): string {
  return JSON.parse(readFileSync(new URL('../package.json', import.meta.url), 'utf8')).version
}

export const jsonLog = (): Log =>
  pino({ base: undefined, serializers: { error: pino.stdSerializers.err }, timestamp: pino.stdTimeFunctions.isoTime })
