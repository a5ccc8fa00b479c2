import { S3Client } from '@aws-sdk/client-s3'
import { SQSClient } from '@aws-sdk/client-sqs'
import { hostPauses } from '../../shared/freshness/host-pauses.ts'
import { readSchedule } from '../../shared/freshness/refresh-schedule.ts'
import { catalogSnapshot } from '../catalog/catalog-snapshot.ts'
import { dynamoCatalog } from '../dynamo/catalog/dynamo-catalog.ts'
import { dynamoChecks } from '../dynamo/catalog/dynamo-checks.ts'
import { dynamoJobs } from '../dynamo/jobs/dynamo-jobs.ts'
import type { CheckRoundPorts } from '../freshness/check-round.ts'
import { s3Objects } from '../objects/s3-objects.ts'
import { log, now, stageResources, table } from './base-ports.ts'
import { clientOptions, patientMs } from './client-options.ts'
import { sqsQueue } from './sqs-queue.ts'
import { stageGitHosts } from './stage-git-hosts.ts'
import { traced } from './tracer.ts'

const probeMs = 10_000
/** Half of the workers, so that callers find some. */
const maxJobs = 16
const snapshotMs = 60_000

/** The ports of the function that compares libraries with their repositories. This file must not import LanceDB, which the function does not contain. */
export function checkPorts(): CheckRoundPorts {
  const gitHosts = stageGitHosts(process.env)
  const defaultSchedule = readSchedule(process.env.REFRESH_SCHEDULE ?? '') ?? 'weekly'
  const catalog = dynamoCatalog({ table: table(), now })
  const objects = s3Objects(traced(new S3Client(clientOptions(patientMs))), stageResources.Content.name)
  return {
    catalog,
    names: catalogSnapshot({ catalog, objects, refreshMs: snapshotMs, now, log }),
    checks: dynamoChecks(table()),
    jobs: dynamoJobs({ table: table(), now }),
    queue: sqsQueue({ client: traced(new SQSClient(clientOptions())), url: stageResources.Jobs.url, log }),
    gitHosts: () => gitHosts,
    gitAccess: { env: process.env, caFile: undefined },
    probeMs,
    hosts: hostPauses(now),
    defaultSchedule: () => defaultSchedule,
    maxJobs,
    log,
    now,
  }
}
