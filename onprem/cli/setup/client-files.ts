import { existsSync } from 'node:fs'
import { join } from 'node:path'
import { type ClientName, entryName } from '../../../shared/clients/entries.ts'
import { clients, type Paths } from './clients.ts'
import { type Edit, editOwnFile, UnusableFile } from './edit.ts'
import type { Target } from './entry-plan.ts'
import { type Home, UnusablePaths } from './home.ts'
import { skillName, skillText } from './rule-text.ts'
import { leadsTo, type Servers } from './servers.ts'
import { readableText } from './text-file.ts'

/** The files of the user, or of the project in `folder`. */
export type Place = {
  home: Home
  project: string | undefined
  /** The current folder, whose files can have precedence over those of the user. */
  folder?: string
}

/** Throws UnusablePaths. */
export function pathsOf(client: ClientName, { home, project }: Place): Paths {
  if (project === undefined) return clients[client].user(home)
  const { label, project: ofProject } = clients[client]
  if (!ofProject) throw new UnusablePaths(`${label} has no configuration of a project; run setup without --project`)
  return ofProject(project)
}

/** The files of a client. Undefined if they cannot be named. */
export function usablePaths(client: ClientName, place: Place): Paths | undefined {
  try {
    return pathsOf(client, place)
  } catch (error) {
    if (error instanceof UnusablePaths) return undefined
    throw error
  }
}

/** True if there is a sign that the client is used here; with the usual folders, if a variable cannot name another one. */
export function isUsed(client: ClientName, { home, project }: Place): boolean {
  if (project !== undefined && !clients[client].project) return false
  const { signs } = usablePaths(client, { home, project }) ?? pathsOf(client, { home: { ...home, env: {} }, project })
  return signs.some((path) => existsSync(path))
}

/** A file that setup changes for one client. */
export type ClientFile = { what: 'MCP server' | 'rule' | 'skill'; path: string; edit: Edit; holdsKey: boolean }

type Edits = Record<ClientFile['what'], Pick<ClientFile, 'edit' | 'holdsKey'>>

export const clientEdits = (client: ClientName, target: Target): Edits => ({
  'MCP server': { edit: clients[client].entry(target), holdsKey: target.key !== undefined },
  rule: { edit: clients[client].rule, holdsKey: false },
  skill: { edit: editOwnFile(skillText), holdsKey: false },
})

/** The files of a client, with one of its configurations. Throws UnusablePaths. */
export function clientFiles(client: ClientName, place: Place, target: Target): ClientFile[] {
  return filesOf(pathsOf(client, place), [configOf(client, place, target.url)], clientEdits(client, target))
}

export const skillFile = ({ skills }: Paths): string => join(skills, skillName, 'SKILL.md')

export function filesOf(client: Paths, configs: string[], edits: Edits): ClientFile[] {
  const paths = [
    ...configs.map((path) => ['MCP server', path] as const),
    ['rule', client.rule] as const,
    ['skill', skillFile(client)] as const,
  ]
  return paths.map(([what, path]) => ({ what, path, ...edits[what] }))
}

/** The configuration that gets our entry: the last one that has it, since that wins. Throws UnusablePaths. */
export function configOf(client: ClientName, place: Place, url: string): string {
  const { configs, config } = pathsOf(client, place)
  if (configs.length === 1) return config
  const hasEntry = (path: string) =>
    Object.entries(serversIn(client, path)).some(([name, entry]) => name === entryName || leadsTo(entry, url))
  return configs.filter(hasEntry).at(-1) ?? config
}

/** None in a file that cannot be read. */
export function serversIn(client: ClientName, path: string): Servers {
  try {
    return clients[client].servers(readableText(path) ?? '')
  } catch (error) {
    if (error instanceof UnusableFile) return {}
    throw error
  }
}
