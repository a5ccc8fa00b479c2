import { ECSClient } from '@aws-sdk/client-ecs'
import { dynamoJobs } from '../dynamo/jobs/dynamo-jobs.ts'
import type { StarterPorts } from '../worker/start-workers.ts'
import { log, now, table } from './base-ports.ts'
import { clientOptions, patientMs } from './client-options.ts'
import { ecsTasks, WorkerTask } from './ecs-tasks.ts'
import { traced } from './tracer.ts'

/** The ports of the function that starts workers. This file must not import LanceDB, which the function does not contain. */
export const starterPorts = (): StarterPorts => ({
  jobs: dynamoJobs({ table: table(), now }),
  runTask: ecsTasks({
    client: traced(new ECSClient(clientOptions(patientMs))),
    where: WorkerTask.parse(JSON.parse(process.env.WORKER_TASK ?? '{}')),
  }),
  log,
  now,
})
