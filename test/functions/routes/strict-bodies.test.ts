import { afterAll, beforeAll, expect, test } from 'vitest'
import { developmentPair } from '../../../shared/keys/development-pair.ts'
import { signLicense } from '../../../shared/keys/license.ts'
import { jsonBodies, misspeltBody } from '../../fixtures/json-bodies.ts'
import { type TestHosted, testHosted } from '../../fixtures/test-hosted.ts'

let hosted: TestHosted
beforeAll(async () => {
  hosted = await testHosted()
})
afterAll(() => hosted.close())

test('every JSON body rejects an unknown field and names a similar one', async () => {
  const { privatePem } = developmentPair(hosted.dataDir, 'license')
  const license = (kind: 'online' | 'offline') =>
    signLicense({ id: kind, customer: 'Acme', kind, expiresAt: '2099-01-01T00:00:00.000Z' }, privatePem)
  const { key } = await hosted.keyOf('Acme')
  const keys: Record<string, string> = {
    '/api/v2/policies': await license('online'),
    '/api/v1/enterprise/export': await license('offline'),
  }
  const bodies = jsonBodies(await (await hosted.get('/api/openapi.json')).json())
  expect(bodies).toHaveLength(15)
  for (const { method, path, schema } of bodies) {
    const { meant, body } = misspeltBody(schema)
    const headers = { authorization: `Bearer ${keys[path] ?? key}`, 'content-type': 'application/json' }
    const answer = await fetch(hosted.url + path, { method, headers, body: JSON.stringify(body) })
    expect([path, answer.status, await answer.json()]).toMatchObject([
      path,
      400,
      {
        error: 'validation_error',
        fields: expect.arrayContaining([{ path: `${meant}x`, message: `is not a known field. Did you mean ${meant}?` }]),
      },
    ])
    expect([path, schema.additionalProperties]).toEqual([path, false])
  }
})

test('fields that clients of other services send are accepted', async () => {
  const { key } = await hosted.keyOf('Acme')
  await hosted.git.create('acme/docs', { files: { 'README.md': '# Docs\n\nTurn the lever.\n' } })
  const body = { docsRepoUrl: `${hosted.git.url}/acme/docs`, private: false, skipVersionFiltering: true, generateDocs: false }
  const answer = await hosted.post('/api/v2/add/repo/github', body, { authorization: `Bearer ${key}` })
  expect(answer.status).toBe(200)
})
