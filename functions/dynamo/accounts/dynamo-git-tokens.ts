import { DeleteCommand, PutCommand } from '@aws-sdk/lib-dynamodb'
import type { TokenHost } from '../../../shared/reading/git/git-hosts.ts'
import type { GitTokens, Sealing } from '../../access/git-tokens.ts'
import { type ItemKey, readItem, readItemsUnder } from '../read-items.ts'
import type { Table } from '../table.ts'
import { openTeam, teamPart } from './team-items.ts'

const shownChars = 4

export function dynamoGitTokens({ table, sealing, now }: { table: Table; sealing: Sealing; now(): Date }): GitTokens {
  const { db, name: TableName } = table
  return {
    async save(team, host, token) {
      await openTeam(table, team)
      const sealed = await sealing.seal(token, { team, host })
      const Item = { ...tokenKey(team, host), sealed, last4: token.slice(-shownChars), savedAt: now().toISOString() }
      await db.send(new PutCommand({ TableName, Item }))
    },

    async remove(team, host) {
      const removed = await db.send(new DeleteCommand({ TableName, Key: tokenKey(team, host), ReturnValues: 'ALL_OLD' }))
      return removed.Attributes !== undefined
    },

    async list(team) {
      const items = await readItemsUnder(table, { pk: teamPart(team), sk: tokenPrefix })
      return items.map(({ sk, last4, savedAt }) => ({
        host: String(sk).slice(tokenPrefix.length) as TokenHost,
        last4: String(last4),
        savedAt: String(savedAt),
      }))
    },

    async find(team, host) {
      const item = await readItem(table, tokenKey(team, host))
      return item && sealing.open(String(item.sealed), { team, host })
    },
  }
}

const tokenPrefix = 'TOKEN#'
const tokenKey = (team: string, host: TokenHost): ItemKey => ({ pk: teamPart(team), sk: `${tokenPrefix}${host}` })
