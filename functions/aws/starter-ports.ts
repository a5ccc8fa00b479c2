import { ECSClient } from '@aws-sdk/client-ecs'
import { dynamoJobs } from '../dynamo/jobs/dynamo-jobs.ts'
import type { StarterPorts } from '../worker/start-workers.ts'
import { log, now, table } from './base-ports.ts'
import { ecsTasks, WorkerTask } from './ecs-tasks.ts'

/** What starts workers: no LanceDB, which its function does not hold. */
export const starterPorts = (): StarterPorts => ({
  jobs: dynamoJobs({ table: table(), now }),
  runTask: ecsTasks({ client: new ECSClient({}), where: WorkerTask.parse(JSON.parse(process.env.WORKER_TASK ?? '{}')) }),
  log,
  now,
})
