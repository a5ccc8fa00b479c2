import { ECSClient } from '@aws-sdk/client-ecs'
import { dynamoJobs } from '../dynamo/jobs/dynamo-jobs.ts'
import type { StarterPorts } from '../worker/start-workers.ts'
import { log, now, table } from './base-ports.ts'
import { ecsTasks, WorkerTask } from './ecs-tasks.ts'

/** The ports of the function that starts workers. This file must not import LanceDB, which the function does not contain. */
export const starterPorts = (): StarterPorts => ({
  jobs: dynamoJobs({ table: table(), now }),
  runTask: ecsTasks({ client: new ECSClient({}), where: WorkerTask.parse(JSON.parse(process.env.WORKER_TASK ?? '{}')) }),
  log,
  now,
})
