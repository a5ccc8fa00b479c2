import { expect, test } from 'vitest'
import { createApi } from '../../../functions/server.ts'
import { recordedLog } from '../../fixtures/recorded-log.ts'
import { testHosted } from '../../fixtures/test-hosted.ts'

test('a flood of requests around the Router is rejected before any work: no log line, no read, each counted', async () => {
  const { hosted, close } = await testHosted()
  const log = recordedLog()
  let counted = 0
  let reads = 0
  const teamspaces = {
    ...hosted.teamspaces,
    findKey: async () => {
      reads += 1
      return undefined
    },
  }
  const onForeign = () => {
    counted += 1
  }
  const app = createApi({ ...hosted, log, teamspaces, loopback: false, originSecrets: ['the secret'], onForeign })
  const headers = { authorization: `Bearer carrel_sk_${'0'.repeat(32)}`, origin: 'https://a.example', 'x-origin-secret': 'x' }
  for (let n = 0; n < 100; n++) {
    const method = n % 2 === 0 ? 'GET' : 'OPTIONS'
    expect((await app.request('/api/v2/libs/search?libraryName=hono', { method, headers })).status).toBe(403)
  }
  expect({ counted, reads, lines: log.lines.length }).toEqual({ counted: 100, reads: 0, lines: 0 })
  await close()
})

const deploys = ['old', 'old,new', 'new,old', 'new']

test.each(deploys.slice(1).map((after, n) => [deploys[n] ?? '', after]))(
  'no request is rejected while the secret changes from %s to %s, whether the Router or the function is updated first',
  async (before, after) => {
    const { hosted, close } = await testHosted()
    for (const [ofRouter, ofFunction] of [
      [after, before],
      [before, after],
    ] as const) {
      const [sent = ''] = ofRouter.split(',')
      const app = createApi({ ...hosted, loopback: false, originSecrets: ofFunction.split(',') })
      expect((await app.request('/api/health', { headers: { 'x-origin-secret': sent } })).status).toBe(200)
    }
    await close()
  },
)

test('a request through the Router has the id of API Gateway, else of CloudFront, in the log and in its response, not one that its caller chose', async () => {
  const { hosted, close } = await testHosted()
  const log = recordedLog()
  const app = createApi({ ...hosted, log, loopback: false, originSecrets: ['the secret'] })
  const id = 'x7kq0oVv3WPzKYr9pZ1mAeLfT2c4sNd8B5hQyGjRuXiM6wDtEoCbUg=='
  const headers = { 'x-origin-secret': 'the secret', 'x-amz-cf-id': id, 'x-request-id': 'chosen-by-caller' }
  const response = await app.request('/api/v2/libs/search?libraryName=hono', { headers })
  expect([response.headers.get('x-request-id'), log.lines.at(-1)?.fields.request]).toEqual([id, id])
  const requestId = 'JKJaXmPLvHcESHA='
  const named = await app.request('/api/v2/libs/search?libraryName=hono', { headers }, { requestContext: { requestId } })
  expect(named.headers.get('x-request-id')).toBe(requestId)
  expect(log.lines.at(-1)?.fields).toMatchObject({ request: requestId, edge: id })
  await close()
})
