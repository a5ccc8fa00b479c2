import { DeleteCommand, PutCommand } from '@aws-sdk/lib-dynamodb'
import type { ConfluenceSites, ShownConfluenceSite } from '../../access/confluence-sites.ts'
import type { Sealing } from '../../access/git-tokens.ts'
import { type ItemKey, readItem } from '../read-items.ts'
import type { Table } from '../table.ts'
import { openTeam, teamPart } from './team-items.ts'

const shownChars = 4

export function dynamoConfluenceSites({ table, sealing, now }: { table: Table; sealing: Sealing; now(): Date }): ConfluenceSites {
  const { db, name: TableName } = table
  return {
    async save(team, { site, user, token }) {
      await openTeam(table, team)
      const sealed = await sealing.seal(token, { team, site })
      const shown = { site, ...(user !== undefined && { user }), last4: token.slice(-shownChars), savedAt: now().toISOString() }
      await db.send(new PutCommand({ TableName, Item: { ...siteKey(team), ...shown, sealed } }))
    },

    async remove(team) {
      const { Attributes } = await db.send(new DeleteCommand({ TableName, Key: siteKey(team), ReturnValues: 'ALL_OLD' }))
      return Attributes && asShown(Attributes)
    },

    async show(team) {
      const item = await readItem(table, siteKey(team))
      return item && asShown(item)
    },

    async find(team) {
      const item = await readItem(table, siteKey(team))
      if (!item) return undefined
      const { site, user } = asShown(item)
      return { site, user, token: await sealing.open(String(item.sealed), { team, site }) }
    },
  }
}

const siteKey = (team: string): ItemKey => ({ pk: teamPart(team), sk: 'CONFLUENCE' })

const asShown = ({ site, user, last4, savedAt }: Record<string, unknown>): ShownConfluenceSite => ({
  site: String(site),
  ...(user !== undefined && { user: String(user) }),
  last4: String(last4),
  savedAt: String(savedAt),
})
