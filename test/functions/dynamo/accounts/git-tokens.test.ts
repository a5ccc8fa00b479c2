import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, beforeAll, expect, test } from 'vitest'
import type { Sealing } from '../../../../functions/access/git-tokens.ts'
import { dynamoGitTokens } from '../../../../functions/dynamo/accounts/dynamo-git-tokens.ts'
import { dynamoTeamspaces } from '../../../../functions/dynamo/accounts/dynamo-teamspaces.ts'
import { teamPart } from '../../../../functions/dynamo/accounts/team-items.ts'
import { allItems } from '../../../../functions/dynamo/table.ts'
import { secretBox } from '../../../../shared/settings/secret-box.ts'
import { openTestDynamo } from '../../../fixtures/dynamo.ts'

const now = () => new Date('2030-01-01T00:00:00Z')

let folder: string
let sealing: Sealing
let table: Awaited<ReturnType<typeof openTestDynamo>>

beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'carrel-tokens-'))
  const box = secretBox(folder)
  sealing = {
    seal: async (text, context) => box.seal(text, JSON.stringify(context)),
    open: async (sealed, context) => box.open(sealed, JSON.stringify(context)),
  }
  table = await openTestDynamo()
})
afterAll(async () => {
  await table.close()
  await rm(folder, { recursive: true, force: true })
})

test('a token is stored encrypted, found by its teamspace and host, and gone with its teamspace', async () => {
  const tokens = dynamoGitTokens({ table, sealing, now })
  const teamspaces = dynamoTeamspaces({ table, now })
  const { id } = await teamspaces.create('Acme', 'team')
  await tokens.save(id, 'github', 'ghp_secret1234')
  expect(JSON.stringify(await allItems(table, teamPart(id)))).not.toContain('ghp_secret')
  expect(await tokens.find(id, 'github')).toBe('ghp_secret1234')
  expect(await tokens.find(id, 'gitlab')).toBeUndefined()
  expect(await tokens.list(id)).toEqual([{ host: 'github', last4: '1234', savedAt: now().toISOString() }])
  await teamspaces.close(id)
  await expect(tokens.save(id, 'github', 'ghp_another123')).rejects.toMatchObject({ code: 'team_not_found' })
  await teamspaces.forget(id)
  expect(await tokens.list(id)).toEqual([])
})

test('a stored token that was moved to another teamspace or host opens nothing', async () => {
  const sealed = await sealing.seal('ghp_secret1234', { team: 'a', host: 'github' })
  expect(await sealing.open(sealed, { team: 'a', host: 'github' })).toBe('ghp_secret1234')
  for (const context of [
    { team: 'b', host: 'github' },
    { team: 'a', host: 'gitlab' },
  ])
    await expect(sealing.open(sealed, context)).rejects.toMatchObject({ code: 'data_damaged' })
})
