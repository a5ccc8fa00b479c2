import { env } from 'node:process'
import { z } from 'zod'
import { awsWorker } from '../aws/stage-ports.ts'
import { workLibrary } from '../worker/work-library.ts'

// The process runs one job and exits. If it is stopped, it queues the job again.
const stopping = new AbortController()
for (const signal of ['SIGINT', 'SIGTERM'] as const) process.once(signal, () => stopping.abort())

const { JOB_KEY } = z.object({ JOB_KEY: z.string().min(1).max(500) }).parse(env)
const ports = awsWorker()
const failed = await workLibrary(ports, JOB_KEY, stopping.signal).then(
  () => false,
  (error: unknown) => {
    ports.log.error({ error }, 'a worker failed; its job starts over when its lease expires')
    return true
  },
)
ports.snippets.close()
// Exits explicitly, because an index that is still being built, and will not be served, would keep the process alive.
process.exit(failed ? 1 : 0)
