import { mkdtempSync, readFileSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { pathToFileURL } from 'node:url'
import type { APIGatewayProxyEventV2, Context } from 'aws-lambda'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { addLibrary } from '../../functions/jobs/add-library.ts'
import { workLibrary } from '../../functions/worker/work-library.ts'
import { type GitServer, startGitServer } from '../fixtures/git-server.ts'
import { gatewayEvent, lambdaContext } from '../fixtures/lambda-events.ts'
import { startStage, type TestStage } from '../fixtures/stage.ts'
import { buildLambda, sstBuildMissing } from './build-lambda.ts'
import { root } from './evaluate-stage.ts'
import { secrets } from './stage.ts'

const missing = sstBuildMissing()

describe.skipIf(missing)(`the API as SST builds it${missing ? `: ${missing}` : ''}`, () => {
  const folder = mkdtempSync(join(tmpdir(), 'carrel-task-'))
  let stage: TestStage
  let git: GitServer
  let handler: (
    event: APIGatewayProxyEventV2,
    context: Context,
  ) => Promise<{ statusCode: number; body: string; isBase64Encoded: boolean }>

  beforeAll(async () => {
    ;[stage, git] = await Promise.all([startStage(), startGitServer(), buildLambda('Api', folder, secrets)])
    Object.assign(process.env, stage.env, { GITHUB_BASE_URL: git.url })
    const { awsHosted, awsWorker } = await import('../../functions/aws/stage-ports.ts')
    await git.create('acme/widgets', { files: { 'README.md': '# Widgets\n\nTurn the lever of the widget.\n' } })
    await addLibrary(awsHosted(), { repoUrl: `${git.url}/acme/widgets`, isPrivate: false })
    expect(await workLibrary(awsWorker(), '/acme/widgets', new AbortController().signal)).toBe('finalized')
    ;({ handler } = await import(pathToFileURL(join(folder, 'bundle.mjs')).href))
  }, 400_000)
  afterAll(async () => {
    await Promise.all([stage?.close(), git?.close()])
    rmSync(folder, { recursive: true, force: true })
  })

  async function answerOf(event: APIGatewayProxyEventV2): Promise<[status: number, body: string]> {
    const { statusCode, body, isBase64Encoded } = await handler(event, lambdaContext)
    return [statusCode, isBase64Encoded ? Buffer.from(body, 'base64').toString() : body]
  }

  test('returns a snippet for a context request', { timeout: 60_000 }, async () => {
    const event = gatewayEvent('GET', '/api/v2/context?libraryId=/acme/widgets&query=turn%20the%20lever')
    expect(await answerOf(event)).toEqual([200, expect.stringContaining('Turn the lever of the widget.')])
  })

  test('returns a snippet from its tool query-docs', { timeout: 60_000 }, async () => {
    const params = { name: 'query-docs', arguments: { libraryId: '/acme/widgets', query: 'turn the lever' } }
    const headers = { accept: 'application/json, text/event-stream', 'mcp-protocol-version': '2025-06-18' }
    const call = { jsonrpc: '2.0', id: 1, method: 'tools/call', params }
    expect(await answerOf(gatewayEvent('POST', '/mcp', headers, call))).toEqual([
      200,
      expect.stringContaining('Turn the lever of the widget.'),
    ])
  })

  test('serves the setup of AI clients', { timeout: 60_000 }, async () => {
    expect(await answerOf(gatewayEvent('GET', '/cli.mjs'))).toEqual([
      200,
      readFileSync(join(root, 'onprem/web/dist/cli.mjs'), 'utf8'),
    ])
  })
})
