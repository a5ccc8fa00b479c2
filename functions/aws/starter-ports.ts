import { ECSClient } from '@aws-sdk/client-ecs'
import { S3Client } from '@aws-sdk/client-s3'
import { SQSClient } from '@aws-sdk/client-sqs'
import { dynamoCatalog } from '../dynamo/catalog/dynamo-catalog.ts'
import { dynamoJobs } from '../dynamo/jobs/dynamo-jobs.ts'
import { isIntact } from '../generations/listed-snippets.ts'
import { s3Files } from '../generations/stored-files.ts'
import { isUnchanged } from '../worker/is-unchanged.ts'
import type { StarterPorts } from '../worker/start-workers.ts'
import { log, now, stageResources, table } from './base-ports.ts'
import { clientOptions, patientMs } from './client-options.ts'
import { ecsTasks, WorkerTask } from './ecs-tasks.ts'
import { sqsQueue } from './sqs-queue.ts'
import { stageGitHosts } from './stage-git-hosts.ts'
import { traced } from './tracer.ts'

/** A host that takes longer does not delay the other messages of a batch; a worker waits for it. */
const probeMs = 5_000

/** The ports of the function that starts workers. This file must not import LanceDB, which the function does not contain. */
export function starterPorts(): StarterPorts {
  const files = s3Files(traced(new S3Client(clientOptions())), stageResources.Content.name, 'snippets')
  const gitHosts = stageGitHosts(process.env)
  const unchanged = {
    catalog: dynamoCatalog({ table: table(), now }),
    gitHosts: () => gitHosts,
    gitAccess: { env: process.env, caFile: undefined },
    probeMs,
    isIntact: (generation: string) => isIntact(files, generation, AbortSignal.timeout(probeMs)),
  }
  return {
    isUnchanged: (job) => isUnchanged(unchanged, job),
    jobs: dynamoJobs({ table: table(), now }),
    queue: sqsQueue({ client: traced(new SQSClient(clientOptions())), url: stageResources.Jobs.url, log }),
    runTask: ecsTasks({
      client: traced(new ECSClient(clientOptions(patientMs))),
      where: WorkerTask.parse(JSON.parse(process.env.WORKER_TASK ?? '{}')),
    }),
    log,
    now,
  }
}
