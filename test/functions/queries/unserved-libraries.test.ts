import { afterAll, beforeAll, expect, test, vi } from 'vitest'
import type { Hosted } from '../../../functions/hosted.ts'
import { createServer } from '../../../functions/server.ts'
import { developmentPair } from '../../../shared/keys/development-pair.ts'
import { signLicense } from '../../../shared/keys/license.ts'
import { type TestHosted, testHosted } from '../../fixtures/test-hosted.ts'

let hosted: TestHosted
const keys: Record<string, string> = {}

const queued = (id: string) => `${id} is being added: it is waiting in the queue. Try again when it is finished.`
const fetched = /^\/acme\/slow is being added: it is being fetched( \(.+\))?\. Try again when it is finished\.$/
let failed: string

/** One library that is served, three whose first parse failed, and behind one that is fetched until the test ends two that wait. */
beforeAll(async () => {
  hosted = await testHosted()
  for (const name of ['Acme', 'Strangers']) keys[name] = (await hosted.keyOf(name)).key
  const claims = { id: 'l', customer: 'Example', kind: 'online' as const, expiresAt: '2099-01-01T00:00:00.000Z' }
  keys.license = await signLicense(claims, developmentPair(hosted.dataDir, 'license').privatePem)
  const words = { files: { 'README.md': '# Widgets\n\nTurn the lever.\n' } }
  for (const repo of ['other/gears', 'acme/slow', 'acme/waiting', 'acme/secret']) await hosted.git.create(repo, words)
  for (const repo of ['broken', 'gears', 'hidden'])
    await hosted.git.create(`acme/${repo}`, { files: { 'main.c': 'int main() {}' } })
  expect(await hosted.add('other/gears')).toMatchObject({ state: 'finalized' })
  await hosted.add('acme/gears')
  const { state, error } = await hosted.add('acme/broken')
  expect(state).toBe('error')
  failed = `/acme/broken has no content: it could not be added. ${error} Refresh it to try again.`
  expect(await hosted.add('acme/hidden', { private: true, teamspace: 'Acme' })).toMatchObject({ state: 'error' })
  hosted.git.misbehave('acme/slow', { kind: 'stall', at: 'pack' })
  await addOnly('slow')
  await vi.waitFor(async () => expect((await messageOf('context', 'slow')).message).toMatch(fetched), 10_000)
  await addOnly('waiting')
  await addOnly('secret', { private: true, teamspace: 'Acme' })
  // Runs the scheduled tasks.
  await hosted.hosted.publishNames()
  await vi.waitFor(async () => expect((await search('secret', keys.Acme)).message).toContain('/acme/secret'), 10_000)
})
afterAll(() => hosted.close())

const addOnly = (repo: string, more: { private?: boolean; teamspace?: string } = {}) =>
  hosted.run('add', { repoUrl: `${hosted.git.url}/acme/${repo}`, private: false, ...more })
const bearer = (key: string | undefined): Record<string, string> => (key === undefined ? {} : { authorization: `Bearer ${key}` })

async function messageOf(what: 'search' | 'context', name: string, key?: string) {
  const path =
    what === 'search'
      ? `/api/v2/libs/search?${new URLSearchParams({ libraryName: name, query: 'lever' })}`
      : `/api/v2/context?${new URLSearchParams({ libraryId: `/acme/${name}`, query: 'lever' })}`
  const answer = await hosted.get(path, bearer(key))
  const { error, message } = (await answer.json()) as { error: string; message: string }
  return { status: answer.status, error, message }
}
const search = (name: string, key?: string) => messageOf('search', name, key)

async function resolve(libraryName: string, key?: string): Promise<string> {
  const answer = await fetch(`${hosted.url}/mcp`, {
    method: 'POST',
    headers: { 'content-type': 'application/json', accept: 'application/json, text/event-stream', ...bearer(key) },
    body: JSON.stringify({
      jsonrpc: '2.0',
      id: 1,
      method: 'tools/call',
      params: { name: 'resolve-library-id', arguments: { libraryName, query: 'lever' } },
    }),
  })
  return answer.text()
}

const noMatch = (name: string, ...texts: string[]) => `No library with content matches "${name}" yet. ${texts.join(' ')}`
/** The status and text of a search of a server with other ports. */
async function searchWith(ports: Partial<Hosted>, libraryName: string) {
  const server = createServer({ ...hosted.hosted, ...ports })
  const answer = await server.request(`/api/v2/libs/search?libraryName=${libraryName}`, { headers: { host: '127.0.0.1' } })
  return { status: answer.status, text: await answer.text() }
}

test('search and MCP name a library during its first parse, by every form of its name', async () => {
  for (const name of ['slow', 'Slow.js', 'acme/slow', `${hosted.git.url}/acme/slow`, '/acme/slow/v1']) {
    const { status, error, message } = await search(name)
    expect([status, error]).toEqual([404, 'no_libraries_found'])
    expect(message.slice(noMatch(name).length), name).toMatch(fetched)
  }
  expect(await resolve('slow')).toContain('/acme/slow is being added: it is being fetched')
})

test('a library whose first parse is queued is named with that state', async () => {
  expect((await search('waiting')).message).toBe(noMatch('waiting', queued('/acme/waiting')))
  expect(await resolve('waiting')).toContain(queued('/acme/waiting'))
})

test('a library whose first parse failed is named with the same reason as for a question', async () => {
  expect((await messageOf('context', 'broken')).message).toBe(failed)
  expect((await search('broken')).message).toBe(noMatch('broken', failed))
  expect(await resolve('broken')).toContain(failed)
})

test('a private library without content is named only to its teamspace', async () => {
  expect((await search('secret', keys.Acme)).message).toBe(noMatch('secret', queued('/acme/secret')))
  expect((await search('hidden', keys.Acme)).message).toContain('/acme/hidden has no content: it could not be added.')
  expect(await resolve('secret', keys.Acme)).toContain(queued('/acme/secret'))
  for (const key of [undefined, keys.Strangers, keys.license])
    for (const name of ['secret', 'hidden']) {
      const absent = JSON.stringify(await search('absent', key)).replaceAll('absent', name)
      expect(JSON.stringify(await search(name, key))).toBe(absent)
      expect(await resolve(name, key)).toBe((await resolve('absent', key)).replaceAll('absent', name))
    }
})

test('a search with results, or one that matches only hidden libraries, reads neither catalog nor jobs', async () => {
  const { catalog, jobs } = hosted.hosted
  const record = vi.fn(catalog.record)
  const find = vi.fn(jobs.find)
  const ports: Partial<Hosted> = { catalog: { ...catalog, record }, jobs: { ...jobs, find } }
  expect((await searchWith(ports, 'gears')).status).toBe(200)
  for (const name of ['secret', 'hidden', 'absent']) expect((await searchWith(ports, name)).status).toBe(404)
  expect([record.mock.calls, find.mock.calls]).toEqual([[], []])
  expect((await searchWith(ports, 'waiting')).text).toContain('/acme/waiting')
  expect([record.mock.calls.length, find.mock.calls]).toEqual([1, [['/acme/waiting']]])
})

test('a search returns without the state of a library if that cannot be read', async () => {
  const find = () => Promise.reject(new Error('the table does not answer'))
  const { status, text } = await searchWith({ jobs: { ...hosted.hosted.jobs, find } }, 'waiting')
  expect([status, text.includes('No library matches'), text.includes('/acme/waiting')]).toEqual([404, true, false])
})

test('the policy of a license also applies to libraries without content', async () => {
  const policy = (quality: unknown) =>
    fetch(`${hosted.url}/api/v2/policies`, {
      method: 'PATCH',
      headers: { ...bearer(keys.license), 'content-type': 'application/json' },
      body: JSON.stringify({ libraryFilters: { mode: 'quality', quality } }),
    })
  expect((await search('waiting', keys.license)).message).toContain('/acme/waiting')
  await policy({ blockedLibraries: { add: ['/acme/waiting', '/other/gears'] } })
  expect((await search('waiting', keys.license)).message).not.toContain('/acme/waiting')
  expect((await search('gears')).status).toBe(200)
  const { message } = await search('gears', keys.license)
  expect(message).toMatch(/is allowed by your policy\..+ \/acme\/gears has no content: it could not be added\./)
})

test('a library that changed after the list was written is not named', async () => {
  const list = await hosted.hosted.names.listed()
  const old = { names: { listed: async () => list } }
  expect((await searchWith(old, 'broken')).text).toContain('/acme/broken')
  const { catalog } = hosted.hosted
  await catalog.add({ id: { owner: 'acme', repo: 'broken' }, sourceUrl: `${hosted.git.url}/acme/broken`, private: true })
  expect((await searchWith(old, 'broken')).text).not.toContain('/acme/broken')
  await hosted.run('remove', { library: '/acme/broken' })
  expect((await searchWith(old, 'broken')).text).not.toContain('/acme/broken')
  await vi.waitFor(
    async () => expect((await hosted.hosted.names.listed()).unserved.map(({ id }) => id)).not.toContain('/acme/broken'),
    120_000,
  )
  const served = (await catalog.record({ owner: 'other', repo: 'gears' }))?.library
  const unserved = { names: { listed: async () => ({ ...list, libraries: [], unserved: served ? [served] : [] }) } }
  const { status, text } = await searchWith(unserved, 'gears')
  expect([status, text.includes('/other/gears')]).toEqual([404, false])
})
