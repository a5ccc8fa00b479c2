import { PassThrough, type Writable } from 'node:stream'
import { buffer } from 'node:stream/consumers'
import { pathToFileURL } from 'node:url'
import { lambdaContext } from '../fixtures/lambda-events.ts'

// The runtime of one Lambda, in the folder of its code: loads the handler, then runs it for each event that the parent process sends.

/** `cpuSeconds` includes the start of Node. */
export type Started = { initMs: number; cpuSeconds: number }
export type Invocation = { id: number; event: unknown; streams: boolean }
export type Outcome = { id: number; result?: unknown; error?: string }
/** The response of a streaming handler. */
export type Streamed = { statusCode: number; headers: Record<string, string>; body: Buffer }

type Handler = (event: unknown, ...rest: unknown[]) => Promise<unknown>
type Metadata = Omit<Streamed, 'body'>

Object.assign(globalThis, {
  awslambda: {
    streamifyResponse: (handler: Handler) => handler,
    HttpResponseStream: { from: (stream: Writable, metadata: Metadata) => Object.assign(stream, { metadata }) },
  },
})

const [file, exported = ''] = (process.env._HANDLER ?? '').split('.')
const startedAt = performance.now()
const { [exported]: handler }: Record<string, Handler> = await import(pathToFileURL(`${process.cwd()}/${file}.mjs`).href)
if (!handler) throw new Error(`${file}.mjs does not export ${exported}`)
const run = handler
const { user, system } = process.cpuUsage()
const started: Started = { initMs: performance.now() - startedAt, cpuSeconds: (user + system) / 1e6 }
process.send?.(started)

process.on('message', async ({ id, event, streams }: Invocation) => {
  process.env._X_AMZN_TRACE_ID = `Root=1-5759e988-${String(id).padStart(24, '0')};Parent=53995c3f42cd8ad8;Sampled=1`
  const outcome = await (streams ? streamed(event) : run(event, lambdaContext)).then(
    (result) => ({ id, result }),
    (error: unknown) => ({ id, error: error instanceof Error ? (error.stack ?? error.message) : String(error) }),
  )
  process.send?.(outcome)
})

async function streamed(event: unknown): Promise<Streamed> {
  const stream: PassThrough & { metadata?: Metadata } = new PassThrough()
  const [body] = await Promise.all([buffer(stream), run(event, stream, lambdaContext)])
  return { statusCode: 200, headers: {}, ...stream.metadata, body }
}
