import { printAnswer, printRemark } from '../../../shared/cli/print.ts'
import { type ClientName, clientNames, entryName } from '../../../shared/clients/entries.ts'
import { keyPrefixes } from '../../../shared/keys/api-key.ts'
import { isLoopbackHost } from '../../../shared/network/private-address.ts'
import { applyEdit, undoEdit } from './apply-edit.ts'
import { changeFiles, type Outcome, reportOtherServer } from './change-files.ts'
import { type ChangeRecords, changeRecords } from './change-records.ts'
import { chooseClients } from './choose-clients.ts'
import {
  type ClientFile,
  clientEdits,
  clientFiles,
  configOf,
  filesOf,
  type Place,
  serversIn,
  skillFile,
  usablePaths,
} from './client-files.ts'
import { clientScopes } from './client-scopes.ts'
import { clients } from './clients.ts'
import { UnusableFile } from './edit.ts'
import { findKey, givenKey, hasKey } from './find-key.ts'
import { UnusablePaths } from './home.ts'
import { keptKeys } from './kept-keys.ts'
import { needsKey } from './needs-key.ts'
import { addressOf, hasKeyElsewhere, isRecord, keysOf, leadsTo, namesVariable } from './servers.ts'
import type { Terminal } from './terminal.ts'
import { readableText, realPath } from './text-file.ts'

export type SetupPorts = {
  env: Record<string, string | undefined>
  terminal(): Terminal | undefined
  /** The command with which the user runs this program, such as `carrel`. */
  command(root: string): string
}

type Common = { clients: ClientName[]; place: Place; dryRun: boolean }
type Setup = Common & { root: string; apiKey: string | undefined; yes: boolean }

/** Connects clients with a deployment. Throws an AppError before it changes anything. */
export async function runSetup(setup: Setup, { env, terminal, command }: SetupPorts): Promise<Outcome> {
  const { root, place, dryRun, yes } = setup
  const isKeyRequired = await needsKey(root)
  if (!isKeyRequired && hasKey({ optionKey: setup.apiKey, env })) printRemark(`${root} requires no API key, so none was written.`)
  const chosen = await chooseClients({ place, named: setup.clients, yes: yes || dryRun, terminal })
  const isWanted = isKeyRequired && chosen.some((client) => wantsKey(client, place, `${root}/mcp`))
  const key = isWanted ? await keyFor(setup, { env, terminal }) : undefined
  const records = changeRecords(place.home)
  const outcomes = chosen.map((client) => {
    const files = () => clientFiles(client, place, { url: `${root}/mcp`, key, isKeyRequired })
    const outcome = changeFiles({ client, files, place, dryRun }, (file) =>
      applyEdit(client, file, { records, dryRun, project: place.project }),
    )
    reportOtherServer(client, place)
    if (!dryRun) reportPrecedence(client, place, { url: `${root}/mcp`, key })
    return outcome
  })
  const all = sumOf(outcomes)
  if (dryRun) printRemark('Nothing was changed, because of --dry-run.')
  else if (all.changed > 0) reportNext(chosen, { ...setup, command, withKey: key !== undefined })
  return all
}

/** Mentions an entry that takes the place of ours in the current folder. */
function reportPrecedence(
  client: ClientName,
  { home, folder }: Place,
  { url, key }: { url: string; key: string | undefined },
): void {
  if (folder === undefined || clients[client].several === 'all' || !usablePaths(client, { home, project: undefined })) return
  const scopes = clientScopes(client, home, folder).filter(({ unused }) => unused === undefined)
  const last = scopes.filter(({ servers }) => entryName in servers).at(-1)
  const entry = last?.servers[entryName]
  if (!last || !isRecord(entry) || addressOf(entry) === undefined || namesVariable(addressOf(entry))) return
  const hasKey = key === undefined || hasKeyElsewhere(entry) || keysOf(entry).some((each) => each.key === key)
  const difference = leadsTo(entry, url) ? (hasKey ? undefined : 'another key or none') : 'another address'
  if (difference !== undefined)
    printRemark(
      `In this folder, ${clients[client].label} uses the server "${entryName}" of ${last.title}, which has ${difference}.`,
    )
}

/** False if the key of the client's entry is elsewhere, for example in a variable. */
function wantsKey(client: ClientName, place: Place, url: string): boolean {
  const key = `${keyPrefixes.onprem}new`
  try {
    const text = readableText(configOf(client, place, url))
    return clients[client].entry({ url, key, isKeyRequired: true }).add(text).text.includes(key)
  } catch (error) {
    // It is reported when the file is to be changed.
    if (error instanceof UnusableFile || error instanceof UnusablePaths) return false
    throw error
  }
}

/** The key to write. */
async function keyFor({ root, apiKey, yes, dryRun, place }: Setup, { env, terminal }: Pick<SetupPorts, 'env' | 'terminal'>) {
  if (dryRun) return givenKey({ optionKey: apiKey, env })?.key ?? 'YOUR_KEY'
  const { key, from } = await findKey({ root, optionKey: apiKey, env, yes, terminal, kept: keptKeys(place.home) })
  if (from === '--api-key')
    printRemark('The key was visible in the list of processes. Set CARREL_API_KEY instead, or type the key.')
  if (from === 'CONTEXT7_API_KEY') printRemark('The key is that of CONTEXT7_API_KEY, because CARREL_API_KEY is not set.')
  const { protocol, hostname } = new URL(root)
  if (protocol === 'http:' && !isLoopbackHost(hostname))
    printRemark(`The address starts with http://, so clients send the key unencrypted to ${hostname}.`)
  return key
}

type Next = Setup & Pick<SetupPorts, 'command'> & { withKey: boolean }

function reportNext(chosen: ClientName[], { command, root, place, withKey }: Next): void {
  if (withKey && place.project !== undefined)
    printRemark('The configuration files of this project hold your key. Do not commit them.')
  printAnswer('')
  printAnswer('Next:')
  for (const name of chosen) printAnswer(`  ${clients[name].restart}`)
  printAnswer(`To undo: ${command(root)} setup --remove${place.project === undefined ? '' : ' --project'}`)
}

/** Takes everything back. */
export function removeSetup({ clients: named, place, dryRun }: Common): Outcome {
  const records = changeRecords(place.home)
  const leaving = named.length > 0 ? named : [...clientNames]
  let isFound = false
  const options = {
    records,
    dryRun,
    project: place.project,
    isForgotten: !records.list().some(({ project }) => project === place.project),
    readersOf: (path: string) => clientNames.filter((name) => !leaving.includes(name) && reads(name, path, place)),
  }
  const undo = (client: ClientName, file: ClientFile) => {
    const change = undoEdit(client, leaving, file, options)
    isFound ||= change.state !== 'unchanged'
    return change
  }
  const seen = new Set<string>()
  const outcomes = leaving.map((client) => {
    // If there are no records, a file that several clients share belongs to the first one.
    const files = writtenFiles(client, { place, records }).filter(({ path }) => !options.isForgotten || !seen.has(path))
    for (const { path } of files) seen.add(path)
    return changeFiles({ client, files: () => files, place, dryRun }, (file) => undo(client, file), true)
  })
  if (!dryRun) records.deleteRest()
  const all = sumOf(outcomes)
  if (!isFound && all.failed === 0) printRemark(`Nothing of Carrel was found in ${place.project ?? place.home.home}.`)
  if (dryRun) printRemark('Nothing was changed, because of --dry-run.')
  return all
}

/** True if a client that has our entry reads the rule or the skill at `path`. */
function reads(client: ClientName, path: string, place: Place): boolean {
  const paths = usablePaths(client, place)
  if (!paths || ![paths.rule, skillFile(paths)].includes(path)) return false
  return paths.configs.some((config) => entryName in serversIn(client, config))
}

/** The files of a client, and those that setup wrote and the client no longer reads, for example because `CODEX_HOME` was changed. */
function writtenFiles(client: ClientName, { place, records }: { place: Place; records: ChangeRecords }): ClientFile[] {
  const target = { url: '', key: undefined, isKeyRequired: false }
  const edits = clientEdits(client, target)
  const paths = usablePaths(client, place)
  // The innermost folders first.
  const files = paths ? filesOf(paths, paths.configs, edits).reverse() : []
  const currentPaths = new Set(files.map(({ path }) => realPath(path)))
  const written = records.list().filter((each) => each.clients.includes(client) && each.project === place.project)
  const moved = (['skill', 'rule', 'MCP server'] as const).flatMap((what) =>
    written
      .filter((each) => each.what === what && !currentPaths.has(each.path))
      .map(({ path }) => ({ what, path, ...edits[what] })),
  )
  return [...files, ...moved]
}

const sumOf = (outcomes: Outcome[]): Outcome =>
  outcomes.reduce((sum, { changed, failed }) => ({ changed: sum.changed + changed, failed: sum.failed + failed }), {
    changed: 0,
    failed: 0,
  })
