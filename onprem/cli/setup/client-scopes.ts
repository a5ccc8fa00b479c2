import { existsSync, realpathSync } from 'node:fs'
import { dirname, join } from 'node:path'
import type { ClientName } from '../../../shared/clients/entries.ts'
import { shortPath } from './change-files.ts'
import { type Place, pathsOf } from './client-files.ts'
import { clients } from './clients.ts'
import { UnusableFile } from './edit.ts'
import { readJson } from './edit-json.ts'
import { readToml } from './edit-toml.ts'
import type { Home } from './home.ts'
import { isRecord, type Servers } from './servers.ts'
import { readableText } from './text-file.ts'

/** A part of the configuration of a client that has servers: a file, or the part of a file about one folder. */
export type Scope = {
  /** The path as a person writes it. */
  title: string
  servers: Servers
  /** The reason why the client does not use it, as the end of a sentence that begins with the title. */
  unused?: string
  /** The servers that are disabled here, and by which list. */
  disabled: Map<string, string>
}

/** The scopes of a client that runs in `folder`. If several have the same server, the last one wins. Throws UnusablePaths. */
export function clientScopes(client: ClientName, home: Home, folder: string): Scope[] {
  const projects = clients[client].project ? projectFolders(folder) : []
  const places: Place[] = [undefined, ...projects].map((project) => ({ home, project }))
  const seen = new Set<string>()
  const scopes = places.flatMap((place) =>
    pathsOf(client, place).configs.flatMap((path): (Scope & { place: Place })[] => {
      if (seen.has(path)) return []
      seen.add(path)
      const scope = readScope(client, path, shortPath(path, { home, project: place.project && folder }))
      return scope ? [{ ...scope, place }] : []
    }),
  )
  if (client === 'claude') return withLocalScope(scopes, home, folder)
  return client === 'codex' ? withTrust(scopes, home, folder) : scopes
}

/** The folders from that of the repository to the current one. */
function projectFolders(folder: string): string[] {
  if (existsSync(join(folder, '.git')) || dirname(folder) === folder) return [folder]
  const outer = projectFolders(dirname(folder))
  return existsSync(join(outer[0] ?? '', '.git')) ? [...outer, folder] : [folder]
}

function readScope(client: ClientName, path: string, title: string): Scope | undefined {
  try {
    const text = readableText(path)
    if (text === undefined) return undefined
    const { label, servers, flawOf } = clients[client]
    const flaw = flawOf?.(text)
    const unused = flaw === undefined ? {} : { unused: `${flaw}, so ${label} rejects the file` }
    return { title, servers: servers(text), ...unused, disabled: new Map() }
  } catch (error) {
    if (error instanceof UnusableFile) return { title, servers: {}, unused: error.message, disabled: new Map() }
    throw error
  }
}

type PlacedScope = Scope & { place: Place }

/** Claude Code keeps the servers and the switches of a folder in the file of the user; settings have switches, too. */
function withLocalScope(scopes: PlacedScope[], home: Home, folder: string): Scope[] {
  const user = pathsOf('claude', { home, project: undefined })
  const projects = recordIn(readIfUsable(user.config, readJson), 'projects')
  const own = namesOf(folder).map((name) => recordIn(projects, name))
  const settings = [
    ...user.signs.map((path) => join(path, 'settings.json')),
    join(folder, '.claude/settings.json'),
    join(folder, '.claude/settings.local.json'),
  ]
  const all = [...own, ...settings.map((path) => readIfUsable(path, readJson))]
  const switches = (values: Servers[], list: string) =>
    values.flatMap((each) => textsIn(each, list)).map((name) => [name, list] as const)
  const title = `${shortPath(user.config, { home, project: undefined })}, local scope`
  const local = own.map((project) => ({ title, servers: recordIn(project, 'mcpServers') }))
  const general = switches(own, 'disabledMcpServers')
  const ofProject = [...general, ...switches(all, 'disabledMcpjsonServers')]
  return [
    ...scopes.map((scope) => ({ ...scope, disabled: new Map(scope.place.project === undefined ? general : ofProject) })),
    ...local.filter(({ servers }) => Object.keys(servers).length > 0).map((scope) => ({ ...scope, disabled: new Map(general) })),
  ]
}

/** Codex reads the configuration of a project only if its user trusts the project. */
function withTrust(scopes: PlacedScope[], home: Home, folder: string): Scope[] {
  const { config } = pathsOf('codex', { home, project: undefined })
  const projects = recordIn(readIfUsable(config, readToml), 'projects')
  const isTrusted = namesOf(folder).some((name) => recordIn(projects, name).trust_level === 'trusted')
  return scopes.map((scope) =>
    scope.place.project === undefined || isTrusted || scope.unused !== undefined
      ? scope
      : { ...scope, unused: 'is used only in a project that you trust; start Codex here and trust it' },
  )
}

/** The paths under which a client may know a folder: its own, and that of its repository. */
const namesOf = (folder: string): string[] => {
  const [root = folder] = projectFolders(folder)
  return [...new Set([folder, realpathSync(folder), root, realpathSync(root)])]
}

/** Returns nothing if the file cannot be read: its scope has the reason. */
function readIfUsable(path: string, read: (text: string) => Servers): Servers {
  try {
    return read(readableText(path) ?? '')
  } catch (error) {
    if (error instanceof UnusableFile) return {}
    throw error
  }
}

function recordIn(value: Servers, name: string): Servers {
  const inner = value[name]
  return isRecord(inner) ? inner : {}
}

const textsIn = (value: Servers, name: string): string[] =>
  [value[name]].flat().filter((each): each is string => typeof each === 'string')
