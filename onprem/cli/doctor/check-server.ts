import { createServer } from 'node:net'
import { setTimeout as sleep } from 'node:timers/promises'
import { z } from 'zod'
import { localServerUrl } from '../../../shared/http/server-url.ts'
import { isDataDirLocked } from '../../../shared/store/open-data-dir.ts'
import { countOf } from '../../../shared/text/figures.ts'
import type { Config } from '../../config.ts'
import { readCommandFile, readServerFile, type ServerFacts } from '../../store/data-dir/server-file.ts'
import { connectServer } from '../api/connect-server.ts'
import { type Connection, call } from '../api/connection.ts'
import { serverFetch } from '../api/server-fetch.ts'
import { type Finding, ok, problem, warning } from './finding.ts'

const maxMs = 3_000
const SomeHealth = z.object({ status: z.literal('healthy'), repos_parsed: z.int() })

/** The running server of a data directory, and the facts that it reports. */
export async function checkServer(dataDir: string, command: string): Promise<{ server?: Connection; findings: Finding[] }> {
  const facts = readServerFile(dataDir)
  const server = facts && (await connectServer(facts))
  if (facts && server) return { server, findings: await healthOf(server, facts) }
  if (!isDataDirLocked(dataDir))
    return { findings: [ok(`No server runs on this data directory; "${command} start" starts one.`)] }
  const running = readCommandFile(dataDir)
  if (running) return { findings: [ok(`The command "${running.command}" (process ${running.pid}) uses the data directory.`)] }
  const advice = 'Wait until it has started or stopped; if it hangs, end it.'
  return { findings: [problem('A process uses the data directory, but does not respond.', advice)] }
}

async function healthOf({ api }: Connection, { url, pid, version }: ServerFacts): Promise<Finding[]> {
  const { repos_parsed: libraries, warnings } = await (await call(api.health.$get())).json()
  const running = ok(
    `Server ${version} runs at ${url} (process ${pid}) and serves ${countOf(libraries, 'library', 'libraries')}.`,
  )
  return [running, ...warnings.map((each) => warning(each))]
}

/** Lets the running server connect to itself as MCP clients of both eras do, at the address that users see. */
export async function checkMcp({ api }: Connection): Promise<Finding> {
  const { error, protocol } = await (await call(api.connect.test.$post())).json()
  if (error !== undefined) return warning(error, 'Check PUBLIC_URL and the proxy in front of the server.')
  return ok(`MCP clients of both eras can connect, up to the protocol ${protocol}.`)
}

/** Checks if a server could listen. Listens on the port for a moment. */
export async function checkPort({ HOST, PORT }: Pick<Config, 'HOST' | 'PORT'>): Promise<Finding> {
  const code = await listenProblem(HOST, PORT)
  if (code === undefined) return ok(PORT === 0 ? 'A start takes any free port.' : `Port ${PORT} of ${HOST} is free.`)
  if (code === 'EADDRINUSE')
    return problem(`Port ${PORT} is used by ${await programAt(HOST, PORT)}.`, 'Stop it, or set PORT to another port.')
  if (code === 'EACCES') return problem(`This user cannot listen on port ${PORT}.`, 'Set PORT to one above 1023.')
  return problem(`A server cannot listen on HOST ${HOST} (${code}).`, 'Set HOST to an address of this machine.')
}

const listenProblem = (host: string, port: number): Promise<string | undefined> =>
  new Promise((resolve) => {
    const probe = createServer()
    probe.once('error', (error: NodeJS.ErrnoException) => resolve(error.code ?? error.message))
    probe.listen({ host, port, exclusive: true }, () => probe.close(() => resolve(undefined)))
  })

async function programAt(host: string, port: number): Promise<string> {
  const { fetch, close } = serverFetch()
  const health = async () => {
    const answer = await fetch(`${localServerUrl(host, port)}/api/health`, { signal: AbortSignal.timeout(maxMs) })
    return SomeHealth.safeParse(await answer.json()).data
  }
  const isCarrel = await Promise.race([health(), sleep(maxMs, undefined, { ref: false })]).catch(() => undefined)
  close()
  return isCarrel ? 'Carrel with another data directory' : 'another program'
}
