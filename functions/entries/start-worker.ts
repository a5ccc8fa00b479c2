import middy from '@middy/core'
import type { SQSEvent } from 'aws-lambda'
import { starterPorts } from '../aws/starter-ports.ts'
import { tracedRuns } from '../aws/with-metrics.ts'
import { startWorkers } from '../worker/start-workers.ts'

const ports = starterPorts()

/** Starts a worker for each message of the job queue. */
export const handler = middy<SQSEvent>()
  .use(tracedRuns())
  .handler((event: SQSEvent) => startWorkers(ports, event))
