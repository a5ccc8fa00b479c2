import { ECSClient } from '@aws-sdk/client-ecs'
import { HeadObjectCommand, S3Client } from '@aws-sdk/client-s3'
import { SQSClient } from '@aws-sdk/client-sqs'
import { dynamoCatalog } from '../dynamo/catalog/dynamo-catalog.ts'
import { dynamoJobs } from '../dynamo/jobs/dynamo-jobs.ts'
import { listPath } from '../generations/list-path.ts'
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
  const s3 = traced(new S3Client(clientOptions()))
  const gitHosts = stageGitHosts(process.env)
  const unchanged = {
    catalog: dynamoCatalog({ table: table(), now }),
    gitHosts: () => gitHosts,
    gitAccess: { env: process.env, caFile: undefined },
    probeMs,
    isStored: (generation: string) => isStored(s3, generation),
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

/** The list of the files of a generation is written last and deleted first. */
async function isStored(s3: S3Client, generation: string): Promise<boolean> {
  try {
    await s3.send(new HeadObjectCommand({ Bucket: stageResources.Content.name, Key: `snippets/${listPath(generation)}` }))
    return true
  } catch (error) {
    const { httpStatusCode } = (error as { $metadata?: { httpStatusCode?: number } }).$metadata ?? {}
    if (httpStatusCode === 403 || httpStatusCode === 404) return false
    throw error
  }
}
