import { join } from 'node:path'
import { type ClientName, clients, type Home, type Paths } from './clients.ts'
import type { Edit } from './edit.ts'
import { editOwnFile } from './edit-own-file.ts'
import type { Target } from './entry-plan.ts'
import { skillName, skillText } from './rule-text.ts'

/** The files of the user, or of the project in `folder`. */
export type Place = { home: Home; project: string | undefined }

export const pathsOf = (client: ClientName, { home, project }: Place): Paths =>
  project === undefined ? clients[client].user(home) : clients[client].project(project)

/** A file that setup changes for one client. */
export type ClientFile = { what: 'MCP server' | 'rule' | 'skill'; path: string; edit: Edit; holdsKey: boolean }

export function clientFiles(client: ClientName, place: Place, target: Target): ClientFile[] {
  const { config, rule, skills } = pathsOf(client, place)
  return [
    { what: 'MCP server', path: config, edit: clients[client].entry(target), holdsKey: target.key !== undefined },
    { what: 'rule', path: rule, edit: clients[client].rule, holdsKey: false },
    { what: 'skill', path: join(skills, skillName, 'SKILL.md'), edit: editOwnFile(skillText), holdsKey: false },
  ]
}
