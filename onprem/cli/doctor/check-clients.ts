import { type ClientName, clientNames, entryName } from '../../../shared/clients/entries.ts'
import { isUsed } from '../setup/client-files.ts'
import { clientScopes, type Scope } from '../setup/client-scopes.ts'
import { clients } from '../setup/clients.ts'
import { isType } from '../setup/entry-plan.ts'
import { type Home, UnusablePaths } from '../setup/home.ts'
import { needsKey } from '../setup/needs-key.ts'
import { type Probed, probeMcp, probeTimeoutMs } from '../setup/probe-mcp.ts'
import {
  addressOf,
  hasKeyElsewhere,
  headersOf,
  isKeyHeader,
  isRecord,
  isSameAddress,
  keysOf,
  namesShellVariable,
  namesVariable,
  programOf,
  type Servers,
} from '../setup/servers.ts'
import { type Finding, ok, problem, warning } from './finding.ts'

type Connection = { url: string; headers: Record<string, string> }
type Probe = (to: Connection) => Promise<Probed>

/** Checks Carrel in the AI clients of this user and of the current folder. Connects to the addresses in their files. */
export async function checkClients(home: Home, folder: string): Promise<Finding[]> {
  const probes = new Map<string, Promise<Probed>>()
  const probe = ({ url, headers }: Connection): Promise<Probed> => {
    const id = JSON.stringify([url, headers])
    const probed = probes.get(id) ?? probeMcp(url, headers, home.env)
    probes.set(id, probed)
    return probed
  }
  const findings = (await Promise.all(clientNames.map((client) => checkClient(client, home, folder, probe)))).flat()
  return findings.length > 0 ? findings : [ok('No AI client on this machine uses Carrel; the command "setup" connects them.')]
}

async function checkClient(client: ClientName, home: Home, folder: string, probe: Probe): Promise<Finding[]> {
  const scopes = readScopes(client, home, folder)
  if (typeof scopes === 'string') return [problem(`${clients[client].label}: ${scopes}.`, 'The client needs that, too.')]
  const used = scopes.filter(({ unused }) => unused === undefined)
  const checks = ourNames(used).flatMap((name) => entriesOf(client, name, used))
  const unused = scopes.flatMap(({ title, servers, unused: why }) =>
    why !== undefined && (Object.keys(servers).length === 0 || ourNames([{ servers }]).length > 0)
      ? [warning(`${clients[client].label} (${title}) ${why}.`, 'Its client may ignore it.')]
      : [],
  )
  return [...unused, ...(await Promise.all(checks.map((each) => checkEntry(client, each, probe))))]
}

/** A sentence, if the files of a client that is used here cannot be named. */
function readScopes(client: ClientName, home: Home, folder: string): Scope[] | string {
  try {
    return clientScopes(client, home, folder)
  } catch (error) {
    if (!(error instanceof UnusablePaths)) throw error
    return isUsed(client, { home, project: undefined }) ? error.message : []
  }
}

/** The names of servers that are ours: by their name, by a key of Carrel, or by the address of those. */
function ourNames(scopes: Pick<Scope, 'servers'>[]): string[] {
  const all = scopes.flatMap(({ servers }) => Object.entries(servers))
  const isOurs = ([name, entry]: [string, unknown]) => name === entryName || (isRecord(entry) && keysOf(entry).length > 0)
  const addresses = all.filter(isOurs).map(([, entry]) => urlOf(entry))
  const isSame = ([, entry]: [string, unknown]) => addresses.some((each) => isSameAddress(urlOf(entry), String(each)))
  return [...new Set(all.filter((each) => isOurs(each) || isSame(each)).map(([name]) => name))]
}

const urlOf = (entry: unknown): unknown => (isRecord(entry) ? addressOf(entry) : undefined)

/** An entry as its client uses it. */
type Used = {
  title: string
  name: string
  entry: unknown
  disabledBy: string | undefined
  /** The scope whose entry takes its place, and the address in it. */
  winner?: { title: string; url: unknown }
}

/** The entries of one name that the client uses: some clients use the last one, and some all of them together. */
function entriesOf(client: ClientName, name: string, scopes: Scope[]): Used[] {
  const own = scopes.filter(({ servers }) => name in servers)
  const { several } = clients[client]
  return own.map((scope, at) => {
    const last = own.at(-1) ?? scope
    const isLast = at === own.length - 1
    const entry = scope.servers[name]
    const merged =
      several === 'merged' ? own.reduce<unknown>((sum, { servers }) => merge(sum, servers[name]), {}) : last.servers[name]
    const used: Used = { title: scope.title, name, entry: isLast ? merged : entry, disabledBy: scope.disabled.get(name) }
    if (several === 'all') return { ...used, entry }
    return isLast || isAlike(entry, merged) ? used : { ...used, winner: { title: last.title, url: urlOf(merged) } }
  })
}

function merge(one: unknown, other: unknown): unknown {
  if (!isRecord(one) || !isRecord(other)) return other
  return Object.fromEntries(
    [...new Set([...Object.keys(one), ...Object.keys(other)])].map((name) => [
      name,
      name in other ? merge(one[name], other[name]) : one[name],
    ]),
  )
}

/** True for the same address and key. */
const isAlike = (one: unknown, other: unknown): boolean =>
  isRecord(one) &&
  isRecord(other) &&
  isSameAddress(addressOf(one), String(addressOf(other))) &&
  JSON.stringify(keysOf(one)) === JSON.stringify(keysOf(other))

async function checkEntry(client: ClientName, { title, name, entry, disabledBy, winner }: Used, probe: Probe): Promise<Finding> {
  const { label } = clients[client]
  const start = `${label} (${title})`
  const server = `the server "${name}"`
  if (winner) {
    const address = typeof winner.url === 'string' ? ` with ${withoutSecrets(winner.url)}` : ''
    return warning(
      `${start}: ${server} is not used in this folder, because ${winner.title} has it, too,${address}.`,
      'Delete the one that is not right.',
    )
  }
  const fields = isRecord(entry) ? entry : {}
  const off =
    disabledBy ?? (fields.enabled === false ? 'enabled = false' : fields.disabled === true ? 'disabled = true' : undefined)
  if (off !== undefined) return warning(`${start}: ${server} is disabled (${off}).`, 'Enable it if its agent should ask Carrel.')
  const program = programOf(fields)
  if (program !== undefined) return warning(`${start}: ${server} starts "${program}", which was not checked.`)
  const connection = connectionOf(fields)
  if (!connection) return problem(`${start}: ${server} has no address.`, again)
  const flaw = flawOf(client, fields)
  if (flaw !== undefined) return problem(`${start}: ${server} ${flaw}, so ${label} rejects it.`, again)
  const sendsNames = !clients[client].expandsShellVariables
  if (sendsNames && Object.entries(connection.headers).some(([header, text]) => isKeyHeader(header) && namesShellVariable(text)))
    return problem(
      `${start}: ${server} names a variable as a shell does, so ${label} sends the name as the key.`,
      'Write the variable in the form of the client, or the key.',
    )
  const shown = withoutSecrets(connection.url)
  if (hasKeyElsewhere(fields) || [connection.url, ...Object.values(connection.headers)].some(namesVariable))
    return warning(`${start}: ${shown} was not checked, because the file names variables.`)
  const probed = await probe(connection)
  const which = name === entryName ? '' : `, ${server}`
  if (!('protocols' in probed)) return problem(`${start}${which}: ${shown} ${probed.problem}.`, adviceOn(probed, connection))
  const responds = `${start}${which}: ${shown} responds over MCP ${probed.protocols.join(' and ')}`
  if (probed.missing === undefined) return ok(`${responds}, ${await describeKey(connection)}.`)
  return warning(`${responds}, but not over ${probed.missing}.`, 'Update the deployment, or look at the proxy in front of it.')
}

/** The reason why a client rejects an entry. */
function flawOf(client: ClientName, entry: Servers): string | undefined {
  const { needed, write } = clients[client].form
  const own = write('') as Servers
  const missing = needed.find((each) => !(each in entry))
  if (missing !== undefined) return `has no "${missing}"`
  if (needed.includes('type') && !isType(entry.type, own.type)) return `has the "type" ${JSON.stringify(entry.type)}`
  if (client !== 'codex') return undefined
  const wrong = ['command', 'bearer_token'].find((each) => each in entry)
  return wrong === undefined ? undefined : `has "${wrong}" next to "url"`
}

/** A server that requires no key accepts any, so its response proves nothing about the key. */
async function describeKey({ url, headers }: Connection): Promise<string> {
  if (!Object.keys(headers).some(isKeyHeader)) return 'without a key'
  const required = await needsKey(url.replace(/\/mcp\/?$/, ''), probeTimeoutMs).catch(() => undefined)
  if (required === undefined) return 'with the key'
  return required ? 'and the key is accepted' : 'and requires no key, although the file has one'
}

function adviceOn({ isKey }: { isKey: boolean }, { headers }: Connection): string {
  if (!isKey) return 'Check that the server runs and can be reached.'
  const isQuoted = Object.entries(headers).some(([name, text]) => isKeyHeader(name) && /["']/.test(text))
  return isQuoted ? 'Delete the quotes around the key in the file.' : again
}

const again = 'Run setup again.'

/** An address without user name, password and query. */
const withoutSecrets = (url: string): string => url.replace(/[?#].*$/s, '').replace(/\/\/[^/]*@/, '//')

function connectionOf(entry: Servers): Connection | undefined {
  const url = addressOf(entry)
  if (typeof url !== 'string' || !(/^https?:\/\//i.test(url.trim()) || namesVariable(url))) return undefined
  return { url, headers: headersOf(entry) }
}
