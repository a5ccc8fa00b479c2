import { ECSClient } from '@aws-sdk/client-ecs'
import { dynamoJobs } from '../adapters/dynamo-jobs.ts'
import { ecsTasks, WorkerTask } from '../adapters/ecs-tasks.ts'
import type { StarterPorts } from '../worker/start-workers.ts'
import { log, now, table } from './base-ports.ts'

/** What starts workers: no LanceDB, which its function does not hold. */
export const awsStarter = (): StarterPorts => ({
  jobs: dynamoJobs({ table: table(), now }),
  runTask: ecsTasks({ client: new ECSClient({}), where: WorkerTask.parse(JSON.parse(process.env.WORKER_TASK ?? '{}')) }),
  log,
  now,
})
