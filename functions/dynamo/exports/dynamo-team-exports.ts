import { PutCommand } from '@aws-sdk/lib-dynamodb'
import type { TeamExport, TeamExports } from '../../exports/team-exports.ts'
import { openTeam, teamPart } from '../accounts/team-items.ts'
import { keptDays } from '../jobs/dynamo-bundles.ts'
import { readItemsUnder } from '../read-items.ts'
import type { Table } from '../table.ts'

export function dynamoTeamExports({ table, now }: { table: Table; now(): Date }): TeamExports {
  return {
    async add(team, { id, ...started }) {
      await openTeam(table, team)
      const key = { pk: teamPart(team), sk: `${prefix}${started.startedAt}#${id}` }
      const expiresAt = Math.floor(now().getTime() / 1000) + keptDays * 86_400
      await table.db.send(new PutCommand({ TableName: table.name, Item: { ...key, ...started, expiresAt } }))
    },

    async list(team) {
      const items = await readItemsUnder(table, { pk: teamPart(team), sk: prefix })
      const alive = items.filter(({ expiresAt }) => Number(expiresAt) * 1000 > now().getTime())
      return alive.reverse().map(({ pk: _, sk, expiresAt: __, ...rest }) => ({ ...rest, id: idIn(String(sk)) }) as TeamExport)
    },
  }
}

const prefix = 'BUNDLE#'
const idIn = (sk: string): string => sk.slice(sk.lastIndexOf('#') + 1)
