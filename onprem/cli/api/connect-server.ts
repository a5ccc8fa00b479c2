import { hc } from 'hono/client'
import { packageVersion } from '../../../shared/system/package-version.ts'
import type { AppType } from '../../server.ts'
import type { ServerFacts } from '../../store/data-dir/server-file.ts'
import { type Connection, connectionHeaders } from './connection.ts'
import { otherVersion } from './reject-other-version.ts'
import { serverFetch } from './server-fetch.ts'

const maxProbeMs = 3_000

/** Connects to a server. Undefined if it does not respond, or does not know the token. Throws cannot_start if its version is another one. */
export async function connectServer(facts: ServerFacts): Promise<Connection | undefined> {
  const { url, token, version } = facts
  const { fetch, close } = serverFetch()
  const headers = connectionHeaders(token)
  // While a server starts, the file may be that of an earlier one.
  const probe = await fetch(`${url}/api/jobs?pageSize=1`, { headers, signal: AbortSignal.timeout(maxProbeMs) })
    .then(async (answer) => ({ status: answer.status, body: await answer.text() }))
    .catch(() => undefined)
  if (probe === undefined || probe.status === 401 || probe.status === 404) {
    close()
    return undefined
  }
  if (version !== packageVersion()) throw otherVersion(facts)
  return {
    api: hc<AppType>(url, { headers, fetch }).api,
    send: (path, init) => fetch(url + path, { ...init, headers: { ...headers, ...init.headers } }),
    close: async () => close(),
  }
}
