import { AppError } from '../../../shared/errors.ts'
import { excerpt } from '../../../shared/text/excerpt.ts'
import type { Teamspace } from '../../access/teamspaces.ts'
import { type ItemKey, readItem } from '../read-items.ts'
import type { Table } from '../table.ts'

/** `heldNames` are the names, in lower case, that may lead to it: its own, `lowerName`, and those of an unfinished change. */
export type TeamItem = Teamspace & { lowerName: string; owners: ReadonlySet<string>; heldNames: ReadonlySet<string> }

/** The partition of a teamspace. */
export const teamPart = (id: string): string => `TEAM#${id}`
export const teamKey = (id: string): ItemKey => ({ pk: teamPart(id), sk: 'TEAM' })

/** The condition of every change of a teamspace. */
export const isOpen = 'attribute_exists(pk) AND attribute_not_exists(deletedAt)'

export const teamItem = async (table: Table, id: string): Promise<TeamItem | undefined> =>
  readTeamItem(await readItem(table, teamKey(id)))

export function readTeamItem(item: Record<string, unknown> | undefined): TeamItem | undefined {
  if (item === undefined) return undefined
  const { owners = new Set(), heldNames = new Set(), ...team } = item as TeamItem
  return { ...team, owners, heldNames }
}

/** A teamspace that is not being deleted. Throws team_not_found. */
export async function openTeam(table: Table, id: string): Promise<TeamItem> {
  const team = await teamItem(table, id)
  if (team === undefined || team.deletedAt !== undefined) throw noTeam(id)
  return team
}

export const noTeam = (nameOrId: string): AppError =>
  new AppError('team_not_found', `There is no teamspace "${excerpt(nameOrId)}".`)

export const asTeamspace = ({ id, name, plan, createdAt, deletedAt }: Teamspace): Teamspace => ({
  id,
  name,
  plan,
  createdAt,
  ...(deletedAt !== undefined && { deletedAt }),
})
