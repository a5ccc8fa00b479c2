import { once } from 'node:events'
import http from 'node:http'
import type { AddressInfo } from 'node:net'
import { afterAll, beforeAll, beforeEach, expect, test } from 'vitest'
import type { TeamspaceCaller } from '../../../functions/access/caller.ts'
import { beginClaim, type ClaimPorts, releaseLibrary, verifyClaim } from '../../../functions/claims/claim-library.ts'
import { answerMetrics } from '../../../functions/queries/answer-metrics.ts'
import { type TestHosted, testHosted } from '../../fixtures/test-hosted.ts'

const id = { owner: 'acme', repo: 'widgets' }
const readme = { 'README.md': '# Widgets\n\nTurn the lever.\n' }
const url = 'https://docs.example.com/acme/widgets'

let hosted: TestHosted
let ports: ClaimPorts
let acme: TeamspaceCaller
let rival: TeamspaceCaller

const claimant = async (name: string): Promise<TeamspaceCaller> => {
  const { id: teamspace } = await hosted.run<{ id: string }>('createTeamspace', { name, plan: 'free' })
  return { kind: 'teamspace', teamspace, keyId: '', role: 'admin', scope: 'admin' }
}

beforeAll(async () => {
  hosted = await testHosted()
  ports = { ...hosted.hosted, serviceUrl: 'https://docs.example.com' }
  acme = await claimant('Acme')
  rival = await claimant('Rival')
  await hosted.git.create('acme/widgets', { files: readme })
  await hosted.add('acme/widgets')
})
afterAll(() => hosted.close())

/** A repository without a project file, and a library without an owner and claims. */
beforeEach(async () => {
  hosted.git.misbehave('acme/widgets')
  await hosted.git.commit('acme/widgets', { files: { 'carrel.json': null, 'context7.json': null } })
  await hosted.hosted.catalog.own(id, undefined)
  for (const { teamspace } of [acme, rival]) {
    await hosted.hosted.teamspaces.disown(teamspace, '/acme/widgets')
    await hosted.hosted.claims.end('/acme/widgets', teamspace)
  }
})

const put = (content: unknown, more: { name?: string; branch?: string } = {}) =>
  hosted.git.commit('acme/widgets', {
    files: { [more.name ?? 'carrel.json']: typeof content === 'string' ? content : JSON.stringify(content) },
    ...(more.branch && { branch: more.branch }),
  })

const owner = async () => (await hosted.hosted.catalog.record(id))?.teamspace

const metrics = (caller: TeamspaceCaller) => answerMetrics(hosted.hosted, { libraryId: id, days: 30 }, caller)

async function refusal(caller: TeamspaceCaller = acme) {
  const error = await verifyClaim(ports, caller, id).then(
    () => undefined,
    (thrown: unknown) => thrown as { code: string; message: string; fields: { reason?: string } },
  )
  return error && { code: error.code, reason: error.fields.reason, message: error.message }
}

test.each(['carrel.json', 'context7.json'])('a key in %s of the default branch makes the teamspace the owner', async (name) => {
  const claim = await beginClaim(ports, acme, id)
  expect(claim).toMatchObject({ url, publicKey: expect.stringMatching(/^pk_[\w-]{32}$/), file: 'carrel.json' })
  await put({ url, public_key: claim.publicKey }, { name })
  await verifyClaim(ports, acme, id)
  expect(await owner()).toBe(acme.teamspace)
  expect(await hosted.hosted.teamspaces.owned(acme.teamspace)).toContain('/acme/widgets')
  await verifyClaim(ports, acme, id)
})

test('a claim that is started again keeps its key, and each teamspace has another', async () => {
  const { publicKey } = await beginClaim(ports, acme, id)
  expect((await beginClaim(ports, acme, id)).publicKey).toBe(publicKey)
  expect((await beginClaim(ports, rival, id)).publicKey).not.toBe(publicKey)
})

test('the owner sees metrics, and the former owner does not from its release on', async () => {
  const { publicKey } = await beginClaim(ports, acme, id)
  await expect(metrics(acme)).rejects.toMatchObject({ code: 'access_denied' })
  await put({ url, public_key: publicKey })
  await verifyClaim(ports, acme, id)
  expect(await metrics(acme)).toMatchObject({ total: { txt: 0 } })
  await releaseLibrary(ports, acme, id)
  await expect(metrics(acme)).rejects.toMatchObject({ code: 'access_denied' })
  expect(await hosted.hosted.teamspaces.owned(acme.teamspace)).toEqual([])
  const again = await beginClaim(ports, rival, id)
  await put({ url, public_key: again.publicKey })
  await verifyClaim(ports, rival, id)
  expect(await metrics(rival)).toMatchObject({ total: { txt: 0 } })
})

test('only the owner releases a library, and nobody claims it meanwhile', async () => {
  await hosted.run('own', { library: '/acme/widgets', teamspace: 'Acme' })
  await expect(releaseLibrary(ports, rival, id)).rejects.toMatchObject({ code: 'access_denied' })
  await expect(beginClaim(ports, rival, id)).rejects.toMatchObject({ code: 'forbidden' })
  expect(await refusal(rival)).toMatchObject({ code: 'forbidden' })
})

test('one of two teamspaces that prove their claims at once becomes the owner', async () => {
  const [mine, theirs] = [await beginClaim(ports, acme, id), await beginClaim(ports, rival, id)]
  await put({ url, public_key: mine.publicKey })
  await put({ url, public_key: theirs.publicKey }, { branch: 'next' })
  // Both have read their key before either writes.
  let arrived = 0
  const gates: (() => void)[] = []
  const together = async () => {
    arrived += 1
    if (arrived === 2) for (const open of gates) open()
    else await new Promise<void>((resolve) => gates.push(resolve))
  }
  const own: ClaimPorts['teamspaces']['own'] = async (...args) => {
    await hosted.hosted.teamspaces.own(...args)
    await together()
  }
  const racing: ClaimPorts = { ...ports, teamspaces: { ...hosted.hosted.teamspaces, own } }
  const first = verifyClaim(racing, acme, id)
  await expect.poll(() => gates.length, { timeout: 10_000 }).toBe(1)
  await put({ url, public_key: theirs.publicKey })
  const outcomes = await Promise.allSettled([first, verifyClaim(racing, rival, id)])
  expect(outcomes.map(({ status }) => status).sort()).toEqual(['fulfilled', 'rejected'])
  const [winner, loser] = outcomes[0]?.status === 'fulfilled' ? [acme, rival] : [rival, acme]
  expect(await owner()).toBe(winner.teamspace)
  expect(await hosted.hosted.teamspaces.owned(loser.teamspace)).toEqual([])
  expect(outcomes.find(({ status }) => status === 'rejected')).toMatchObject({ reason: { code: 'forbidden' } })
})

test('a proof without a claim is rejected', async () => {
  expect(await refusal()).toMatchObject({ code: 'not_configured', reason: 'no_claim' })
})

const oneMegabyte = 2 ** 20

test.each<[string, string, (key: string) => unknown]>([
  ['no project file', 'file_not_found', () => undefined],
  ['another key', 'wrong_key', () => put({ url, public_key: 'pk_other' })],
  ['a key that is no text', 'not_json', () => put({ url, public_key: 7 })],
  ['no key', 'wrong_key', () => put({ url })],
  ['the address of another library', 'wrong_library', (key) => put({ url: `${url}-2`, public_key: key })],
  [
    'the address of another service',
    'wrong_library',
    (key) => put({ url: 'https://else.example/acme/widgets', public_key: key }),
  ],
  ['no address', 'wrong_library', (key) => put({ public_key: key })],
  ['the right key on another branch', 'other_branch', (key) => put({ url, public_key: key }, { branch: 'next' })],
  ['a page in place of the file', 'not_json', () => put('<!doctype html><title>Sign in</title>')],
  ['a list', 'not_json', () => put('[]')],
  ['a file of 10 MB', 'too_large', (key) => put({ url, public_key: key, filler: 'x'.repeat(10 * oneMegabyte) })],
])('a repository with %s does not prove a claim', async (_, reason, change) => {
  const { publicKey } = await beginClaim(ports, acme, id)
  await change(publicKey)
  expect(await refusal()).toMatchObject({ code: 'not_configured', reason })
  expect(await owner()).toBeUndefined()
})

test('the errors of a claim say what to change', async () => {
  const { publicKey } = await beginClaim(ports, acme, id)
  const texts = [(await refusal())?.message]
  await put({ url, public_key: publicKey }, { branch: 'next' })
  texts.push((await refusal())?.message)
  await put({ url: `${url}2`, public_key: publicKey })
  texts.push((await refusal())?.message)
  expect(texts).toEqual([
    `${hosted.git.url}/acme/widgets has no carrel.json and no context7.json in the root of its default branch, main.`,
    'The key is in the branch next. Put it into the default branch, main.',
    `The url in carrel.json is "${url}2"; it must be "${url}".`,
  ])
})

test('a host that redirects a project file to another host is not followed', async () => {
  const { publicKey } = await beginClaim(ports, acme, id)
  const reached: string[] = []
  const elsewhere = http.createServer((request, response) => {
    reached.push(request.url ?? '')
    response.end(JSON.stringify({ url, public_key: publicKey }))
  })
  elsewhere.listen(0, '127.0.0.1')
  await once(elsewhere, 'listening')
  const { port } = elsewhere.address() as AddressInfo
  const targets = [
    `http://127.0.0.1:${port}/carrel.json`,
    `http://localhost:${port}/carrel.json`,
    'http://169.254.169.254/latest/meta-data/',
    '//169.254.169.254/latest/meta-data/',
    `http://user:secret@127.0.0.1:${new URL(hosted.git.url).port}/acme/widgets/raw/main/carrel.json`,
    'file:///etc/passwd',
  ]
  for (const location of targets) {
    hosted.git.misbehave('acme/widgets', { kind: 'file', status: 302, headers: { location } })
    expect(await refusal()).toMatchObject({ code: 'not_configured', reason: 'redirected' })
  }
  // Within the host: followed twice.
  hosted.git.misbehave('acme/widgets', { kind: 'file', status: 302, headers: { location: '/acme/widgets/raw/main/carrel.json' } })
  expect(await refusal()).toMatchObject({ reason: 'redirected' })
  expect(reached).toEqual([])
  elsewhere.close()
})

test('a repository that is gone or empty does not prove a claim, and a host that fails is reported as such', async () => {
  await beginClaim(ports, acme, id)
  hosted.git.misbehave('acme/widgets', { kind: 'file', status: 503 })
  expect(await refusal()).toMatchObject({ code: 'provider_unavailable' })
  hosted.git.misbehave('acme/widgets', { kind: 'status', status: 404 })
  expect(await refusal()).toMatchObject({ code: 'not_configured', reason: 'repository_not_found' })
  expect(await refusal(rival)).toMatchObject({ reason: 'no_claim' })
})

test('a host that does not respond is given up', async () => {
  await beginClaim(ports, acme, id)
  const hasty = { ...ports, probeMs: 300 }
  hosted.git.misbehave('acme/widgets', { kind: 'stall', at: 'refs' })
  await expect(verifyClaim(hasty, acme, id)).rejects.toMatchObject({ code: 'timeout' })
})

test('a private library of another teamspace is claimed like a missing one', async () => {
  await hosted.git.create('acme/secret', { files: readme })
  await hosted.add('acme/secret', { private: true, teamspace: 'Acme' })
  const secret = { owner: 'acme', repo: 'secret' }
  for (const attempt of [beginClaim, verifyClaim, releaseLibrary]) {
    const [hidden, missing] = [secret, { owner: 'acme', repo: 'none' }].map(async (each) =>
      attempt(ports, rival, each).catch((error: Error & { code: string }) => `${error.code} ${error.message}`),
    )
    expect(String(await hidden).replace('secret', 'none')).toBe(await missing)
  }
  await expect(releaseLibrary(ports, acme, secret)).rejects.toMatchObject({ code: 'forbidden' })
})
