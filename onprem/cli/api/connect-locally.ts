import { hc } from 'hono/client'
import type { Log } from '../../../shared/log.ts'
import { readConfig } from '../../config.ts'
import { openInstall } from '../../open-install.ts'
import type { AppType } from '../../server.ts'
import { removeServerFiles } from '../../store/data-dir/server-file.ts'
import { type Connection, connectionHeaders } from './connection.ts'

type LocalInput = {
  dataDir: string
  /** The caller holds it. */
  lock: { release(): void }
  env: Record<string, string | undefined>
  log: Log
}

/** Nothing listens, but the server checks that requests are for this machine. */
const url = 'http://127.0.0.1'

/** Opens the install in this process, without listening. Queued jobs do not run, except those that the command passes to `runJobs`. */
export async function connectLocally({ dataDir, lock, env, log }: LocalInput): Promise<Connection> {
  process.umask(0o077)
  // No other machine can reach this process, whatever address the server will have.
  const config = { ...readConfig(env), HOST: '127.0.0.1', PUBLIC_URL: undefined }
  const opened = await openInstall({ config, env, log: { debug: () => undefined, ...log }, dataDir, rebuilds: false })
  const { app, worker } = opened
  // They belonged to a server that was killed, because this process holds the lock.
  await opened.reserve.use(() => app.jobs.recover())
  const headers = connectionHeaders(app.commandToken.token)
  const fetch = async (input: string | URL | Request, init?: RequestInit) => {
    const request = endingWithSignal(new Request(input, init))
    request.headers.set('host', new URL(url).host)
    return opened.fetch(request)
  }
  let started: Promise<void> | undefined
  return {
    api: hc<AppType>(url, { headers, fetch }).api,
    send: (path, init) => fetch(url + path, { ...init, headers: { ...headers, ...init.headers } }),
    async runJobs(ids) {
      started ??= opened.begin()
      await started
      app.jobs.hasten()
      worker.start(ids)
    },
    async close() {
      await opened.close()
      removeServerFiles(dataDir)
      lock.release()
    },
  }
}

/** The body of a request that no `fetch` sends does not end when its signal is aborted. */
function endingWithSignal(request: Request): Request {
  const { signal } = request
  if (!request.body) return request
  return new Request(request, { body: request.body.pipeThrough(new TransformStream(), { signal }), duplex: 'half' })
}
