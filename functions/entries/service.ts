import { env } from 'node:process'
import { setTimeout as wait } from 'node:timers/promises'
import { z } from 'zod'
import { listen } from '../../shared/http/listen.ts'
import { loadLance } from '../../shared/store/load-lance.ts'
import { endOnSignal } from '../../shared/system/end-on-signal.ts'
import { awsHosted } from '../aws/stage-ports.ts'
import { createApi } from '../server.ts'

/** A load balancer sends requests to a task until it has noticed that the task stops. */
const leaveMs = 5_000
/** The time that a client may take for the body of a request. */
const bodyMs = 30_000

const { PORT, HOST } = z.object({ PORT: z.coerce.number().default(8080), HOST: z.string().default('0.0.0.0') }).parse(env)

// Every route except the export, as one process for many requests at the same time.
const starting = start()
endOnSignal(async () => (await starting)())
await starting

/** Serves the API and returns a function that stops it: it refuses health checks, then new requests, and ends those that are running. */
async function start(): Promise<() => Promise<void>> {
  const hosted = awsHosted()
  const api = createApi(hosted)
  let isLeaving = false
  // The load balancer sends no secret of the Router, so its check comes before the API.
  const serve: typeof api.fetch = (request, ...more) =>
    new URL(request.url).pathname === '/alive'
      ? Response.json({ alive: !isLeaving }, { status: isLeaving ? 503 : 200 })
      : api.fetch(request, ...more)
  // The first requests need both. If a store does not respond, they fail one by one.
  await Promise.all([loadLance(), hosted.ready()]).catch((error: unknown) =>
    hosted.log.error({ error }, 'the service starts without its stores'),
  )
  const { port, close } = await listen(serve, { HOST, PORT, bodyMs })
  hosted.log.info({ url: `http://${HOST}:${port}` }, 'listening')
  return async () => {
    isLeaving = true
    await wait(leaveMs)
    await close()
    hosted.snippets.close()
  }
}
