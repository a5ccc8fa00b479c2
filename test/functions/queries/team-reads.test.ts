import { afterAll, beforeAll, expect, test } from 'vitest'
import type { TeamspaceCaller } from '../../../functions/access/caller.ts'
import { exportElements, exportFile } from '../../../functions/bundles/export-elements.ts'
import type { HostedCatalog } from '../../../functions/catalog/hosted-catalog.ts'
import { listMembers } from '../../../functions/dashboard/actions/manage-members.ts'
import { type TeamLibrariesPorts, teamLibraries } from '../../../functions/dashboard/queries/team-libraries.ts'
import { dynamoTeamspaces } from '../../../functions/dynamo/accounts/dynamo-teamspaces.ts'
import { dynamoUsers } from '../../../functions/dynamo/accounts/dynamo-users.ts'
import { dynamoCatalog } from '../../../functions/dynamo/catalog/dynamo-catalog.ts'
import { dynamoChecks } from '../../../functions/dynamo/catalog/dynamo-checks.ts'
import { dynamoCounters } from '../../../functions/dynamo/counters/dynamo-counters.ts'
import { dynamoJobs } from '../../../functions/dynamo/jobs/dynamo-jobs.ts'
import { exportedContents } from '../../../functions/exports/exported-contents.ts'
import { type TeamUsagePorts, teamUsage } from '../../../functions/queries/team-usage.ts'
import { libraryKey } from '../../../shared/library.ts'
import { countDynamo } from '../../bench/hosted/count-dynamo.ts'
import { openTestDynamo } from '../../fixtures/dynamo.ts'
import { silentLog } from '../../fixtures/silent-log.ts'

const now = () => new Date('2030-03-20T12:00:00Z')
const libraries = Array.from({ length: 10 }, (_, n) => ({ owner: 'acme', repo: `docs${n}` }))
const names = libraries.map(({ owner, repo }) => `/${owner}/${repo}`)

let table: Awaited<ReturnType<typeof openTestDynamo>>
let catalog: HostedCatalog
let ports: TeamLibrariesPorts & TeamUsagePorts
let caller: TeamspaceCaller

beforeAll(async () => {
  table = await openTestDynamo()
  const teamspaces = dynamoTeamspaces({ table, now })
  catalog = dynamoCatalog({ table, now })
  const { id: teamspace } = await teamspaces.create('Acme', 'team')
  caller = { kind: 'teamspace', teamspace, keyId: '', role: 'developer', scope: 'admin' }
  for (const id of libraries) {
    const library = { id: `/${id.owner}/${id.repo}`, sourceUrl: `https://github.com/acme/${id.repo}`, private: false }
    await teamspaces.own(teamspace, libraryKey(id), 'added')
    await catalog.add({ ...library, id, teamspace })
    await catalog.begin(id, 'worker')
    const facts = { ...library, title: id.repo, description: '', branch: 'main', aliases: [], settings: {} }
    await catalog.parsing(id, { worker: 'worker', bundleBytes: () => 1 }).publish(facts, [
      { ...version(`${id.repo}-main`), version: '', rules: ['Turn it.', id.repo] },
      { ...version(`${id.repo}-v1`), version: 'v1', rules: ['Turn it.'] },
    ])
  }
  ports = {
    catalog,
    teamspaces,
    now,
    checks: dynamoChecks(table),
    jobs: dynamoJobs({ table, now }),
    counters: dynamoCounters({ table, log: silentLog, now }),
  }
})
afterAll(() => table.close())

const version = (generation: string) => ({
  ref: 'main',
  generation,
  commit: 'c',
  tokens: 1,
  snippets: 1,
  codeSnippets: 0,
  format: 1,
})

test('the list of ten libraries takes four reads, and says when each is checked', async () => {
  const dueAt = new Date('2030-03-21T12:00:00Z')
  for (const id of libraries) await dynamoChecks(table).plan(libraryKey(id), { schedule: 'daily', dueAt })
  let listed: unknown
  const calls = await countDynamo(async () => {
    listed = await teamLibraries(ports, caller)
  })
  expect(listed).toMatchObject(names.map((id) => ({ id, owned: true, tags: ['v1'], nextCheckAt: dueAt.toISOString() })))
  expect(calls.map(({ command }) => command).sort()).toEqual(['BatchGet', 'BatchGet', 'Query', 'Query'])
})

test('the contents of ten libraries take three reads, and are those that an export of each has', async () => {
  let contents = await exportedContents(catalog, [])
  const calls = await countDynamo(async () => {
    contents = await exportedContents(catalog, [...names, '/acme/docs0@v1', '/acme/missing', '/acme/docs1@v9'])
  })
  expect(calls.map(({ command }) => command)).toEqual(['BatchGet', 'BatchGet', 'BatchGet'])
  expect([...contents.keys()]).toEqual([...names, '/acme/docs0@v1'])
  for (const id of libraries) {
    const { buildId } = exportFile(await exportElements(catalog, id))
    expect(contents.get(`/${id.owner}/${id.repo}`)).toMatchObject({ hash: buildId, versions: 2 })
  }
})

test('the usage of ten libraries reads their records and totals at once, and the counters of each', async () => {
  const calls = await countDynamo(() => teamUsage(ports, caller, 7))
  expect(calls.filter(({ command }) => command === 'Get')).toEqual([])
  expect(calls.filter(({ command }) => command === 'BatchGet')).toHaveLength(2 + libraries.length)
})

test('ten members take three reads, and so do ten keys', async () => {
  const [users, teamspaces] = [dynamoUsers({ table, now }), dynamoTeamspaces({ table, now })]
  const { id } = await teamspaces.create('Crowded', 'team')
  for (const { repo: name } of libraries) {
    const user = await users.signIn({ issuer: 'https://issuer.example.com', sub: name, email: `${name}@example.com`, name })
    await teamspaces.addMember(id, user.id, 'owner')
    await teamspaces.createKey(id, { name, createdBy: 'a test' })
  }
  const reads = (work: () => Promise<unknown[]>) =>
    countDynamo(async () => expect(await work()).toHaveLength(10)).then((calls) => calls.map(({ command }) => command))
  const audit = { begin: () => Promise.reject(new Error('Nothing is changed.')) }
  expect(await reads(() => listMembers({ teamspaces, users, audit }, id))).toEqual(['Get', 'Query', 'BatchGet'])
  expect(await reads(() => teamspaces.listKeys(id))).toEqual(['Get', 'Query', 'BatchGet'])
})

test('details that are replaced while they are read are read again', async () => {
  const [id = { owner: '', repo: '' }] = libraries
  const stored = await catalog.exportables([libraryKey(id)])
  const [{ generation } = { generation: '' }] = stored.get(libraryKey(id))?.versions ?? []
  const { send } = table.db
  const pass = send.bind(table.db) as (command: object) => Promise<unknown>
  let batches = 0
  table.db.send = (async (command: object) => {
    if (command.constructor.name === 'BatchGetCommand' && ++batches === 2) {
      const writer = { worker: 'worker', bundleBytes: () => 1 }
      await catalog.replace(id, writer, generation, { generation: 'copy', format: 2 })
    }
    return pass(command)
  }) as never
  try {
    const again = await catalog.exportables(libraries.map(libraryKey))
    expect(again.size).toBe(libraries.length)
    expect(again.get(libraryKey(id))?.versions[0]?.generation).toBe('copy')
  } finally {
    table.db.send = send
  }
})
