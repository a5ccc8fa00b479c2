import { type ChildProcess, spawn } from 'node:child_process'
import { once } from 'node:events'
import { createServer, request as forward, type Server } from 'node:http'
import type { AddressInfo } from 'node:net'
import { Readable } from 'node:stream'
import { text } from 'node:stream/consumers'
import { setTimeout as pause } from 'node:timers/promises'
import type { Context } from 'aws-lambda'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { childEnv } from '../../../shared/system/child-env.ts'
import { type GitServer, startGitServer } from '../../fixtures/git-server.ts'
import { lambdaContext, originSecret } from '../../fixtures/lambda-events.ts'
import { listening } from '../../fixtures/listening.ts'
import { page } from '../../fixtures/page.ts'
import { startStage, type TestStage } from '../../fixtures/stage.ts'
import { until } from '../../fixtures/until.ts'

const root = new URL('../../..', import.meta.url).pathname
const children: ChildProcess[] = []
const stopping = new AbortController()
let stage: TestStage
let git: GitServer
let ecs: Server
let router: Server
let team: string
let key: string
let deliveries: Promise<void>

/** A process of the image, or the command line. */
function run(words: string[], env: Record<string, string> = {}): ChildProcess {
  const child = spawn(process.execPath, ['--disable-warning=ExperimentalWarning', ...words], {
    cwd: root,
    env: { PATH: process.env.PATH, ...childEnv(), ...stage.env, GITHUB_BASE_URL: git.url, ...env },
    stdio: ['ignore', 'pipe', 'inherit'],
  })
  children.push(child)
  return child
}

const urlOf = (server: Server) => `http://127.0.0.1:${(server.address() as AddressInfo).port}`

/** Adds the secret and the address of the viewer, as CloudFront and its function do. */
const routerTo = (url: string): Server =>
  createServer((request, response) => {
    const headers = { ...request.headers, 'x-origin-secret': originSecret, 'x-viewer-address': '192.0.2.1' }
    const onward = forward(url + request.url, { method: request.method, headers }, (answer) => {
      response.writeHead(answer.statusCode ?? 502, answer.headers)
      answer.pipe(response)
    })
    request.pipe(onward)
  })

beforeAll(async () => {
  ;[stage, git] = await Promise.all([startStage(), startGitServer()])
  ecs = createServer(async (request, response) => {
    const { overrides } = JSON.parse(await text(request))
    run(['functions/entries/worker.ts'], { JOB_KEY: overrides.containerOverrides[0].environment[0].value })
    response.end(JSON.stringify({ tasks: [{ taskArn: 'arn:started' }], failures: [] }))
  })
  await once(ecs.listen(0, '127.0.0.1'), 'listening')
  const network = { subnets: ['s'], securityGroups: [], assignPublicIp: true }
  Object.assign(process.env, stage.env, {
    GITHUB_BASE_URL: git.url,
    WORKER_TASK: JSON.stringify({ cluster: 'c', taskDefinition: 't', containers: ['Worker'], ...network }),
    AWS_ENDPOINT_URL_ECS: urlOf(ecs),
  })
  const service = run(['functions/entries/service.ts'], { HOST: '127.0.0.1', PORT: '0' })
  router = routerTo(await listening(service))
  await once(router.listen(0, '127.0.0.1'), 'listening')
  const { awsHosted } = await import('../../../functions/aws/stage-ports.ts')
  const { teamspaces } = awsHosted()
  team = (await teamspaces.create('acme', 'team')).id
  key = (await teamspaces.createKey(team, { createdBy: 'a test' })).key
  deliveries = deliver()
}, 60_000)
afterAll(async () => {
  stopping.abort()
  await deliveries
  for (const child of children) child.kill('SIGKILL')
  for (const server of [ecs, router]) {
    server.closeAllConnections()
    server.close()
  }
  await Promise.all([stage.close(), git.close()])
})

/** Passes messages and records to their functions, as Lambda does. */
async function deliver(): Promise<void> {
  type Handler = (event: unknown, context: Context) => Promise<never>
  const start = (await import('../../../functions/entries/start-worker.ts')).handler as unknown as Handler
  const count = (await import('../../../functions/entries/usage.ts')).handler as unknown as Handler
  while (!stopping.signal.aborted) {
    await stage.jobs.deliver((event) => start(event, lambdaContext))
    await stage.usage.deliver((event) => count(event, lambdaContext))
    await pause(100)
  }
}

/** Only the owner of a library reads its counters. */
async function ownWhenAdded(): Promise<void> {
  const { awsHosted } = await import('../../../functions/aws/stage-ports.ts')
  const [{ catalog }, id] = [awsHosted(), { owner: 'acme', repo: 'widgets' }]
  await until(() => catalog.record(id), 60, 100)
  await catalog.own(id, team)
}

test('hosted smoke takes a library through a stage whose API is a service, from its addition to its counters', async () => {
  await git.create('acme/widgets', { files: { 'README.md': page('Widgets', 'Turn the lever of the widget.') } })
  const words = ['smoke', '--base-url', urlOf(router), '--key', key, '--repository', `${git.url}/acme/widgets`, '--json']
  const smoke = run(['onprem/cli/main.ts', 'hosted', ...words])
  const output = text(smoke.stdout ?? Readable.from([]))
  await ownWhenAdded()
  const [report] = await Promise.all([output, once(smoke, 'exit')])
  const { passed, steps } = JSON.parse(report)
  const states = steps.map(({ step, state }: Record<string, string>) => `${step}: ${state}`)
  expect(passed, report).toBe(true)
  expect(states.filter((line: string) => line.endsWith('passed')).length).toBeGreaterThan(6)
  // A service serves no exports; a function does.
  expect(states.filter((line: string) => !line.endsWith('passed'))).toEqual(['export: skipped'])
}, 120_000)
