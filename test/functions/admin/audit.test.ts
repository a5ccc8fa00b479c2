import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { type AuditEntry, audited } from '../../../functions/access/audit.ts'
import { adminOperations } from '../../../functions/admin/admin-operations.ts'
import { makeKeyPair } from '../../../shared/keys/key-pair.ts'
import { type TestHosted, testHosted } from '../../fixtures/test-hosted.ts'

let hosted: TestHosted

beforeAll(async () => {
  hosted = await testHosted()
  await hosted.git.create('acme/docs', { files: { 'README.md': '# Docs\n\nTurn the lever.\n' } })
})
afterAll(() => hosted.close())

const entries = (teamspace?: string) => hosted.run<AuditEntry[]>('listAudit', { teamspace })
const summary = ({ what, outcome, before, after }: AuditEntry) => [what, outcome, before, after]

test('every operation that changes something leaves an entry with the names before and after, and reading leaves none', async () => {
  await hosted.run('createTeamspace', { name: 'Acme', plan: 'team' })
  const [acme] = await hosted.run<{ id: string }[]>('listTeamspaces', {})
  const made = await hosted.run<{ id: string; key: string }>('createKey', { teamspace: 'Acme', name: 'ci', scope: 'read' })
  await hosted.run('renameTeamspace', { name: 'Acme', to: 'Acme Ltd' })
  await hosted.add('acme/docs', { teamspace: 'Acme Ltd' })
  await hosted.run('own', { library: '/acme/docs', teamspace: 'acme ltd' })
  await hosted.run('refresh', { library: '/acme/docs' })
  await expect.poll(() => hosted.run('progress', { library: '/acme/docs' })).toMatchObject({ active: false })
  await hosted.run('eraseUsage', { library: '/acme/docs' })
  await hosted.run('schedule', { library: '/acme/docs', schedule: 'daily' })
  await hosted.run('flagged', { library: '/acme/docs', rule: 'withhold' })
  await hosted.run('remove', { library: '/acme/docs' })
  await hosted.run('revokeKey', { id: made.id })
  await hosted.run('listKeys', { name: 'Acme Ltd' })
  const license = { id: 'lic', customer: 'Acme', kind: 'online', expiresAt: '2099-01-01T00:00:00.000Z' }
  await hosted.run('recordLicense', { ...license, teamspace: 'ACME LTD' })
  await hosted.run('revokeLicense', { id: 'from elsewhere' })
  await hosted.run('trustLicenseKey', { pem: makeKeyPair().publicPem })
  await hosted.run('eraseSalts', {})
  await hosted.run('setPlan', { name: 'acme ltd', plan: 'free' })
  await hosted.run('optOut', { library: '/acme/docs', reason: 'asked for' })
  await hosted.run('liftOptOut', { library: '/acme/docs' })
  for (const contact of ['ann@example.com', 'bob@example.com']) {
    const body = { library: '/acme/docs', reason: 'It is mine.', contact }
    expect((await hosted.post('/api/v2/takedowns', body)).status).toBe(202)
  }
  const asked = await hosted.run<{ id: string }[]>('listTakedowns', {})
  await hosted.run('acceptTakedown', { id: asked[0]?.id })
  await hosted.run('rejectTakedown', { id: asked[1]?.id })
  await expect(hosted.run('recover', { restoredTo: '2026-11-20T10:00:00Z' })).rejects.toThrow('Only a stage on AWS')

  const ofTeam = await entries('Acme Ltd')
  expect(ofTeam.map(summary)).toEqual([
    ['createKey', 'done', undefined, { name: 'ci', role: 'admin', scope: 'read', expiresAt: 'never' }],
    ['renameTeamspace', 'done', { name: 'Acme' }, { name: 'Acme Ltd' }],
    ['add', 'done', undefined, { repository: `${hosted.git.url}/acme/docs`, private: 'false' }],
    ['own', 'done', { library: '/acme/docs', owner: acme?.id }, { owner: acme?.id, name: 'Acme Ltd' }],
    ['eraseUsage', 'done', { library: '/acme/docs' }, undefined],
    ['schedule', 'done', undefined, { library: '/acme/docs', schedule: 'daily' }],
    ['flagged', 'done', undefined, { library: '/acme/docs', flagged: 'withhold' }],
    ['remove', 'done', { library: '/acme/docs' }, undefined],
    ['revokeKey', 'done', { key: made.id }, undefined],
    ['recordLicense', 'done', undefined, { license: 'lic', customer: 'Acme', kind: 'online' }],
    ['setPlan', 'done', { plan: 'team' }, { plan: 'free' }],
  ])
  expect(JSON.stringify(ofTeam)).not.toContain(made.key.slice(16))
  await hosted.run('deleteTeamspace', { name: 'Acme Ltd' })
  expect((await entries()).map(({ what }) => what)).toEqual([
    'createTeamspace',
    'refresh',
    'revokeLicense',
    'trustLicenseKey',
    'eraseSalts',
    'optOut',
    'liftOptOut',
    'acceptTakedown',
    'rejectTakedown',
    'recover',
    'deleteTeamspace',
  ])
  expect((await entries()).at(-1)?.before).toEqual({ name: 'Acme Ltd', id: acme?.id })
  expect((await entries(acme?.id)).length).toBe(ofTeam.length)
  const changing = [...adminOperations].filter(([, { describe }]) => describe).map(([name]) => name)
  const recorded = [...ofTeam, ...(await entries())].map(({ what }) => what)
  expect(changing.filter((name) => !recorded.includes(name))).toEqual([])
})

describe('a change', () => {
  const change = { who: 'operator ann', what: 'rename' }
  const down = () => Promise.reject(new Error('down'))

  test('is not made if it cannot be recorded', async () => {
    const made: string[] = []
    const work = async () => made.push('change')
    await expect(audited({ begin: down }, change, work)).rejects.toThrow('down')
    expect(made).toEqual([])
  })

  test('returns its result, and is not recorded as failed, if only its outcome cannot be written', async () => {
    const outcomes: string[] = []
    const end = (outcome: string) => {
      outcomes.push(outcome)
      return down()
    }
    expect(await audited({ begin: async () => end }, change, async () => 'the key')).toBe('the key')
    await expect(audited({ begin: async () => end }, change, () => Promise.reject(new Error('taken')))).rejects.toThrow('taken')
    expect(outcomes).toEqual(['done', 'failed'])
  })
})

test('an operation that fails leaves an entry that says so, with the repository but not its credentials', async () => {
  await expect(
    hosted.run('add', { repoUrl: 'https://ann:p@ss@elsewhere.example/a/b?token=secret', private: false }),
  ).rejects.toThrow()
  expect((await entries()).slice(-1).map(summary)).toEqual([
    ['add', 'failed', undefined, { repository: 'https://elsewhere.example/a/b', private: 'false' }],
  ])
})
