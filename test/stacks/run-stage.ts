import { spawn } from 'node:child_process'
import { createSocket } from 'node:dgram'
import { once } from 'node:events'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { setTimeout as sleep } from 'node:timers/promises'
import type { KinesisStreamBatchResponse, SQSBatchResponse } from 'aws-lambda'
import { childEnv } from '../../shared/system/child-env.ts'
import type { TestStage } from '../fixtures/stage.ts'
import type { BuiltLambda } from './build-lambdas.ts'
import { emulateRouter } from './emulate-router.ts'
import { root } from './evaluate-stage.ts'
import { logLines, type RunningLambda, startLambda, writeLinks } from './start-lambda.ts'

const pollMs = 100

/** A stage that runs the built Lambdas, each in its own process, and the worker. AWS between them is emulated. */
export type RunningStage = {
  /** The address of the Router. */
  url: string
  /** Variables of callers of the emulated services. */
  env: Record<string, string>
  /** The container of a Lambda, which is started at its first use. */
  lambda(name: string): Promise<RunningLambda>
  /** Starts another container. The caller closes it. */
  start(built: BuiltLambda): Promise<RunningLambda>
  /** Names of the functions whose segments the tracer has sent. */
  traced: Set<string>
  /** Errors of deliveries and workers. */
  failures: unknown[]
  /** The lines that workers have logged. */
  workerLog: Record<string, unknown>[]
  close(): Promise<void>
}

type Running = { stage: TestStage; lambdas: BuiltLambda[]; env: Record<string, string> }

export async function runStage({ stage, lambdas, env }: Running): Promise<RunningStage> {
  const failures: unknown[] = []
  const workerLog: RunningStage['workerLog'] = []
  const containers = new Map<string, Promise<RunningLambda>>()
  const aws = await emulateServices({
    runTask: (key) =>
      void runWorker({ ...stage.env, ...env, JOB_KEY: key }).then(
        (lines) => workerLog.push(...lines),
        (error: unknown) => failures.push(error),
      ),
    invoke: (name, event) =>
      void lambda(name)
        .then((container) => container.invoke(event))
        .catch((error: unknown) => failures.push(error)),
  })
  const tracer = await receiveTraces()
  const services = { AWS_ENDPOINT_URL_ECS: aws.url, AWS_ENDPOINT_URL_LAMBDA: aws.url }
  const functionEnv = { ...awsVariables(stage.env), ...services, ...tracer.env, ...env }
  const lambda = (name: string) => {
    const built = lambdas.find((each) => each.name === name)
    if (!built) throw new Error(`There is no Lambda ${name}.`)
    const container = containers.get(name) ?? startLambda(built, functionEnv)
    containers.set(name, container)
    return container
  }
  for (const built of lambdas) writeLinks(built, linkedValues(stage.env))
  const router = await emulateRouter({ api: () => lambda('Api'), exporter: () => lambda('Export') })
  const stopping = new AbortController()
  const repeat = async (work: () => Promise<unknown>) => {
    while (!stopping.signal.aborted) {
      await work().catch((error: unknown) => failures.push(error))
      await sleep(pollMs)
    }
  }
  const deliveries = [
    repeat(() => stage.jobs.deliver(async (event) => (await lambda('StartWorker')).invoke<SQSBatchResponse>(event))),
    repeat(() => stage.usage.deliver(async (event) => (await lambda('ApplyUsage')).invoke<KinesisStreamBatchResponse>(event))),
  ]
  return {
    url: router.url,
    env: services,
    lambda,
    start: (built) => startLambda(built, functionEnv),
    traced: tracer.names,
    failures,
    workerLog,
    async close() {
      stopping.abort()
      await Promise.all(deliveries)
      router.close()
      const started = await Promise.allSettled(containers.values())
      await Promise.all(started.map((each) => each.status === 'fulfilled' && each.value.close()))
      aws.close()
      tracer.close()
    },
  }
}

const awsVariables = (env: Record<string, string>) =>
  Object.fromEntries(Object.entries(env).filter(([name]) => name.startsWith('AWS_')))

/** The values of `SST_RESOURCE_<name>`, by name. */
export const linkedValues = (env: Record<string, string>): Record<string, unknown> =>
  Object.fromEntries(
    Object.entries(env).flatMap(([name, value]) => {
      const linked = /^SST_RESOURCE_(.+)/.exec(name)?.[1]
      return linked === undefined ? [] : [[linked, JSON.parse(value)]]
    }),
  )

/** Runs the task of a worker, as its container does, and returns its log. */
async function runWorker(env: Record<string, string>): Promise<RunningStage['workerLog']> {
  const child = spawn(process.execPath, ['functions/entries/worker.ts'], {
    cwd: root,
    env: { PATH: process.env.PATH, ...childEnv(), ...env },
    stdio: ['ignore', 'pipe', 'pipe'],
  })
  const output = child.stderr.toArray()
  const log = child.stdout.toArray()
  const [code] = await once(child, 'exit')
  if (code !== 0) throw new Error(`A worker ended with the code ${code}:\n${Buffer.concat(await output).toString()}`)
  return logLines(Buffer.concat(await log).toString())
}

type Services = { runTask(jobKey: string): void; invoke(functionName: string, event: unknown): void }

/** The two calls that functions make to ECS and Lambda. */
async function emulateServices({ runTask, invoke }: Services) {
  const server = createServer(async (request, response) => {
    const body = JSON.parse(Buffer.concat(await request.toArray()).toString())
    const invoked = /^\/2015-03-31\/functions\/([^/]+)\/invocations/.exec(request.url ?? '')?.[1]
    if (invoked) {
      // The test stage names its function in small letters.
      invoke(`${invoked[0]?.toUpperCase()}${invoked.slice(1)}`, body)
      response.writeHead(202).end()
    } else {
      const [{ environment }] = body.overrides.containerOverrides
      runTask(environment.find(({ name }: { name: string }) => name === 'JOB_KEY').value)
      response.end(JSON.stringify({ tasks: [{ taskArn: 'arn:started' }], failures: [] }))
    }
  })
  await once(server.listen(0, '127.0.0.1'), 'listening')
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    close() {
      server.closeAllConnections()
      server.close()
    },
  }
}

/** The daemon of X-Ray: a header line and a segment per datagram. */
async function receiveTraces() {
  const names = new Set<string>()
  const socket = createSocket('udp4', (message) => {
    const { annotations } = JSON.parse(message.toString().split('\n')[1] ?? '{}')
    if (annotations) names.add(annotations.Service)
  })
  socket.bind(0, '127.0.0.1')
  await once(socket, 'listening')
  return { names, env: { AWS_XRAY_DAEMON_ADDRESS: `127.0.0.1:${socket.address().port}` }, close: () => socket.close() }
}
