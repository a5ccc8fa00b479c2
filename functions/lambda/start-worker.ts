import middy from '@middy/core'
import type { SQSEvent } from 'aws-lambda'
import { traced } from '../aws/observed.ts'
import { awsStarter } from '../aws/starter-ports.ts'
import { startWorkers } from '../worker/start-workers.ts'

const ports = awsStarter()

/** A worker for each message of the queue of jobs. */
export const handler = middy<SQSEvent>()
  .use(traced())
  .handler((event: SQSEvent) => startWorkers(ports, event))
