import { shortPath } from '../setup/change-files.ts'
import { type Place, pathsOf } from '../setup/client-files.ts'
import { type ClientName, clientNames, clients, type Home } from '../setup/clients.ts'
import { UnusableFile } from '../setup/edit.ts'
import { entryName } from '../setup/entries.ts'
import { needsKey } from '../setup/needs-key.ts'
import { type Probed, probeMcp, probeTimeoutMs } from '../setup/probe-mcp.ts'
import { readableText } from '../setup/text-file.ts'
import { type Finding, ok, problem, warning } from './finding.ts'

type Connection = { url: string; authorization: string | undefined }

/** What the AI clients of this user and of the current folder know of Carrel, and whether it works. Connects to the addresses in their files. */
export async function checkClients(home: Home, folder: string): Promise<Finding[]> {
  const places: Place[] = [undefined, folder].map((project) => ({ home, project }))
  const probes = new Map<string, Promise<Probed>>()
  const probe = ({ url, authorization }: Connection): Promise<Probed> => {
    const id = JSON.stringify([url, authorization])
    const probed = probes.get(id) ?? probeMcp(url, authorization)
    probes.set(id, probed)
    return probed
  }
  const seen = new Set<string>()
  const checks = places.flatMap((place) =>
    clientNames.map((name) => {
      const { config } = pathsOf(name, place)
      if (seen.has(config)) return undefined
      seen.add(config)
      return checkClient(name, `${clients[name].label} (${shortPath(config, place)})`, config, probe)
    }),
  )
  const found = (await Promise.all(checks)).filter((each) => each !== undefined)
  return found.length > 0 ? found : [ok('No AI client on this machine uses Carrel; the command "setup" connects them.')]
}

async function checkClient(
  name: ClientName,
  title: string,
  config: string,
  probe: (to: Connection) => Promise<Probed>,
): Promise<Finding | undefined> {
  const entry = readEntry(name, config)
  if (entry === undefined) return undefined
  if (entry instanceof UnusableFile) return warning(`${title} ${entry.message}.`, 'Its client may ignore it.')
  const connection = connectionOf(entry)
  if (!connection) return problem(`${title}: the server "${entryName}" has no address.`, again)
  const { url, authorization } = connection
  const shown = withoutSecrets(url)
  if (/\$\{|\{env:/.test(url + (authorization ?? '')))
    return warning(`${title}: ${shown} was not checked, because the file names variables.`)
  const probed = await probe(connection)
  if ('protocol' in probed)
    return ok(`${title}: ${shown} responds over MCP ${probed.protocol}, ${await describeKey(connection)}.`)
  return problem(`${title}: ${shown} ${probed.problem}.`, probed.isKey ? again : 'Check that the server runs and can be reached.')
}

/** A server that requires no key accepts any, so its response says nothing about the key. */
async function describeKey({ url, authorization }: Connection): Promise<string> {
  if (authorization === undefined) return 'without a key'
  const required = await needsKey(url.replace(/\/mcp\/?$/, ''), probeTimeoutMs).catch(() => undefined)
  if (required === undefined) return 'with the key'
  return required ? 'and the key is accepted' : 'and requires no key, although the file has one'
}

const again = 'Run setup again.'

/** An address without user name, password and query. */
const withoutSecrets = (url: string): string => url.replace(/[?#].*$/s, '').replace(/\/\/[^/]*@/, '//')

function readEntry(name: ClientName, config: string): unknown {
  try {
    const text = readableText(config)
    return text === undefined ? undefined : clients[name].servers(text)[entryName]
  } catch (error) {
    if (error instanceof UnusableFile) return error
    throw error
  }
}

function connectionOf(entry: unknown): Connection | undefined {
  if (typeof entry !== 'object' || entry === null) return undefined
  const { url, headers, http_headers } = entry as Record<string, unknown>
  if (typeof url !== 'string' || !/^(https?:\/\/|.*\$\{)/.test(url)) return undefined
  const sent = Object.entries(headers ?? http_headers ?? {}).find(([name]) => name.toLowerCase() === 'authorization')
  return { url, authorization: typeof sent?.[1] === 'string' ? sent[1] : undefined }
}
