import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { KMSClient } from '@aws-sdk/client-kms'
import { InvokeCommand, LambdaClient } from '@aws-sdk/client-lambda'
import { S3Client } from '@aws-sdk/client-s3'
import { SQSClient } from '@aws-sdk/client-sqs'
import { openClones } from '../../shared/indexing/clones.ts'
import { limits } from '../../shared/indexing/limits.ts'
import type { ServerLog } from '../../shared/log.ts'
import { questionLimits, questionQueue } from '../../shared/search/question/question-queue.ts'
import { readRequestLimits } from '../../shared/settings/request-limits.ts'
import { lanceSnippets } from '../../shared/store/lance-snippets.ts'
import { packageVersion } from '../../shared/system/package-version.ts'
import { utcDay } from '../../shared/time/utc-day.ts'
import { recordUsage } from '../../shared/usage/record-usage.ts'
import { rateLimits } from '../access/rate-limits.ts'
import type { BundleRequest, buildBundle } from '../bundles/bundle-status.ts'
import { exportLimits } from '../bundles/export-library.ts'
import { zipLimits } from '../bundles/plan-zip.ts'
import { catalogSnapshot, publishEveryMs, publishSnapshot } from '../catalog/catalog-snapshot.ts'
import { dynamoAudit } from '../dynamo/accounts/dynamo-audit.ts'
import { dynamoClaims } from '../dynamo/accounts/dynamo-claims.ts'
import { dynamoConfluenceSites } from '../dynamo/accounts/dynamo-confluence-sites.ts'
import { dynamoFlows } from '../dynamo/accounts/dynamo-flows.ts'
import { dynamoGitTokens } from '../dynamo/accounts/dynamo-git-tokens.ts'
import { dynamoInvites } from '../dynamo/accounts/dynamo-invites.ts'
import { dynamoLicenses } from '../dynamo/accounts/dynamo-licenses.ts'
import { dynamoOptOuts } from '../dynamo/accounts/dynamo-opt-outs.ts'
import { dynamoPlanRequests } from '../dynamo/accounts/dynamo-plan-requests.ts'
import { dynamoSessions } from '../dynamo/accounts/dynamo-sessions.ts'
import { dynamoTakedowns } from '../dynamo/accounts/dynamo-takedowns.ts'
import { dynamoTeamPolicies } from '../dynamo/accounts/dynamo-team-policies.ts'
import { dynamoTeamspaces } from '../dynamo/accounts/dynamo-teamspaces.ts'
import { dynamoUsers } from '../dynamo/accounts/dynamo-users.ts'
import { dynamoCatalog } from '../dynamo/catalog/dynamo-catalog.ts'
import { dynamoChecks } from '../dynamo/catalog/dynamo-checks.ts'
import { dynamoCounters } from '../dynamo/counters/dynamo-counters.ts'
import { dynamoReplayed } from '../dynamo/counters/dynamo-replayed.ts'
import { dynamoSalts } from '../dynamo/counters/dynamo-salts.ts'
import { dynamoRequestCounts } from '../dynamo/dynamo-request-counts.ts'
import { dynamoSelections } from '../dynamo/exports/dynamo-selections.ts'
import { dynamoTeamExports } from '../dynamo/exports/dynamo-team-exports.ts'
import { dynamoBundles } from '../dynamo/jobs/dynamo-bundles.ts'
import { dynamoJobs } from '../dynamo/jobs/dynamo-jobs.ts'
import { copiedSnippets } from '../generations/copied-snippets.ts'
import { listedSnippets } from '../generations/listed-snippets.ts'
import { s3Files } from '../generations/stored-files.ts'
import type { Hosted } from '../hosted.ts'
import type { SchedulePorts } from '../jobs/schedule.ts'
import type { ObjectStore } from '../objects/object-store.ts'
import { objectUploads } from '../objects/object-uploads.ts'
import { s3Objects } from '../objects/s3-objects.ts'
import { s3Versions } from '../objects/s3-versions.ts'
import { objectJournal } from '../recovery/journal.ts'
import type { WorkerPorts } from '../worker/work-library.ts'
import { db, log, now, stageResources, table } from './base-ports.ts'
import { clientOptions, patientMs, quickMs } from './client-options.ts'
import { foreignRequests } from './foreign-requests.ts'
import { kinesisClient, kinesisUsage } from './kinesis-usage.ts'
import { kmsSealing } from './kms-sealing.ts'
import { sqsQueue } from './sqs-queue.ts'
import { stageGitHosts } from './stage-git-hosts.ts'
import { licenseKeys, signingKey } from './stage-keys.ts'
import { stageSourceHosts } from './stage-source-hosts.ts'
import { traced } from './tracer.ts'

const snapshotMs = 5_000
/** A caller waits for the git host, which usually responds within a second. */
const probeMs = 4_000
/** Jobs of rebuilds and of callers together; more wait for Fargate's quota. */
const workers = 32

const saltsTable = () => ({ db, name: stageResources.Salts.name })
const s3 = traced(new S3Client(clientOptions(patientMs)))
/** For functions whose callers wait. */
const quickS3 = traced(new S3Client(clientOptions()))
/** For links of uploads: a checksum would be that of an empty body. */
const signingS3 = traced(new S3Client({ ...clientOptions(), requestChecksumCalculation: 'WHEN_REQUIRED' }))
/** Its failure is not the end: a library that cannot be copied is read by LanceDB. */
const copyingS3 = traced(new S3Client(clientOptions(quickMs, 1)))
const lambda = traced(new LambdaClient(clientOptions()))
const kms = traced(new KMSClient(clientOptions()))
const content = (client = s3) => s3Objects(client, stageResources.Content.name)
/** Uploads take longer than a response. */
const exported = () => {
  const { get } = s3Objects(quickS3, stageResources.Exports.name)
  return { ...s3Objects(s3, stageResources.Exports.name), get }
}
/** Objects that are opened when they are used: only the command line does, and the API's function is not linked to their bucket. */
const atFirstUse = (open: () => ObjectStore): ObjectStore => ({
  put: (...object) => open().put(...object),
  get: (key) => open().get(key),
  remove: (key) => open().remove(key),
  keys: (prefix) => open().keys(prefix),
  downloadUrl: (...object) => open().downloadUrl(...object),
})
const snippetsAddress = () => `s3://${stageResources.Content.name}/snippets`
const snippetFiles = (client = s3) => s3Files(client, stageResources.Content.name, 'snippets')
/** LanceDB nests its retries: with more than one, a response would come after the caller has timed out. */
const queriedSnippets = () =>
  copiedSnippets(
    lanceSnippets(snippetsAddress(), { storageOptions: { client_max_retries: '1', connect_timeout: '1s', timeout: '2s' } }),
    snippetFiles(copyingS3),
    {
      folder: join(tmpdir(), 'generations'),
      log,
    },
  )
const snippets = () => lanceSnippets(snippetsAddress())
const sealing = () => kmsSealing(kms, stageResources.TokenKey.arn)
const gitTokens = () => dynamoGitTokens({ table: table(), sealing: sealing(), now })
const confluenceSites = () => dynamoConfluenceSites({ table: table(), sealing: sealing(), now })
const queue = () => sqsQueue({ client: traced(new SQSClient(clientOptions())), url: stageResources.Jobs.url, log })

/**
 * The ports of every function that serves requests. A stage with a LicenseKey, which production must have, accepts only licenses that
 * are signed with it. A stage without one accepts licenses that are signed with the keys that `license trust` has recorded.
 */
function requestPorts(log: ServerLog) {
  const licenses = dynamoLicenses({ table: table(), now })
  return {
    now,
    log,
    catalog: dynamoCatalog({ table: table(), now }),
    snippets: queriedSnippets(),
    questions: questionQueue(questionLimits),
    teamspaces: dynamoTeamspaces({ table: table(), now }),
    licenses,
    publicPems: async () => licenseKeys(stageResources.LicenseKey.value) ?? licenses.trustedKeys(),
    // A caller waits for both reads.
    limits: { ...exportLimits, firstReadMs: 2_200 },
    originSecrets: stageResources.OriginSecret.value.split(','),
    onForeign: foreignRequests.add,
    loopback: false,
  }
}

export function awsExport() {
  const gitHosts = stageGitHosts(process.env)
  return {
    ...requestPorts(log),
    objects: exported(),
    bundles: dynamoBundles({ table: table(), now }),
    runBundle,
    gitHosts: () => gitHosts,
  }
}

/** Parts of the API and of the command line, which passes its own log, so that log lines do not mix with its output. */
export function awsHosted(to: ServerLog = log): Hosted {
  const stream = kinesisUsage({ client: kinesisClient(), streamName: stageResources.Usage.name })
  const salts = dynamoSalts({ table: saltsTable(), now })
  const gitHosts = stageGitHosts(process.env)
  const requestCounts = dynamoRequestCounts(table())
  const common = requestPorts(to)
  const names = catalogSnapshot({ catalog: common.catalog, objects: content(quickS3), refreshMs: snapshotMs, now, log: to })
  void stream.warm()
  void salts.saltOf(utcDay(now())).catch(() => undefined)
  return {
    ...common,
    objects: atFirstUse(exported),
    uploads: content(signingS3),
    salts,
    journal: objectJournal({ objects: content(), now }),
    undeleteGeneration: (generation, since) =>
      s3Versions(s3, stageResources.Content.name).undelete(`snippets/${generation}`, since),
    version: packageVersion(),
    // Next to the bundle of the function; `stacks/api.ts` copies them.
    clientProgram: fileURLToPath(new URL('./cli.mjs', import.meta.url)),
    texts: {
      terms: fileURLToPath(new URL('./terms.md', import.meta.url)),
      privacy: fileURLToPath(new URL('./privacy.md', import.meta.url)),
    },
    startedAtMs: performance.now(),
    names,
    publishNames: (how) => publishSnapshot({ catalog: common.catalog, objects: content(), now }, { ...how, force: how?.whole }),
    users: dynamoUsers({ table: table(), now }),
    sessions: dynamoSessions({ table: table(), now }),
    flows: dynamoFlows({ table: table(), now }),
    // Only the dashboard sends messages.
    mail: undefined,
    invites: dynamoInvites({ table: table(), now }),
    requestCounts,
    teamPolicies: dynamoTeamPolicies({ table: table(), now }),
    planRequests: dynamoPlanRequests({ table: table(), now }),
    takedowns: dynamoTakedowns({ table: table(), now }),
    optOuts: dynamoOptOuts({ table: table(), now }),
    audit: dynamoAudit({ table: table(), now }),
    claims: dynamoClaims({ table: table(), now }),
    gitTokens: gitTokens(),
    confluenceSites: confluenceSites(),
    checks: dynamoChecks(table()),
    jobs: dynamoJobs({ table: table(), now }),
    queue: queue(),
    bundles: dynamoBundles({ table: table(), now }),
    runBundle,
    selections: dynamoSelections({ table: table(), now }),
    teamExports: dynamoTeamExports({ table: table(), now }),
    counters: dynamoCounters({ table: table(), log: to, now }),
    replayed: dynamoReplayed({ table: table(), now }),
    record: (request) => recordUsage({ stream, salts, log: to, now }, request),
    rateLimits: rateLimits({
      limits: readRequestLimits(process.env.REQUEST_LIMITS || '{}'),
      counts: requestCounts,
      teamspaces: common.teamspaces,
      salts,
      log: to,
      now,
    }),
    gitHosts: () => gitHosts,
    gitAccess: { env: process.env, caFile: undefined },
    sourceHosts: stageSourceHosts(process.env),
    probeMs,
    ready: async () => {
      await Promise.all([common.catalog.record({ owner: 'ready', repo: 'ready' }), names.listed()])
      return true
    },
  }
}

export const awsBundle = (): Parameters<typeof buildBundle>[0] => ({
  catalog: dynamoCatalog({ table: table(), now }),
  snippets: snippets(),
  objects: exported(),
  bundles: dynamoBundles({ table: table(), now }),
  log,
  now,
  limits: zipLimits,
  signingPem: signingKey(stageResources.BundleKey.value),
})

export function awsSchedule(): SchedulePorts {
  const gitHosts = stageGitHosts(process.env)
  return {
    salts: dynamoSalts({ table: saltsTable(), now }),
    catalog: dynamoCatalog({ table: table(), now }),
    jobs: dynamoJobs({ table: table(), now }),
    optOuts: dynamoOptOuts({ table: table(), now }),
    gitHosts: () => gitHosts,
    gitAccess: { env: process.env, caFile: undefined },
    snippets: snippets(),
    objects: content(),
    queue: queue(),
    log,
    now,
    retiredMs: limits.retiredMs,
    workers,
  }
}

export function awsWorker(): WorkerPorts {
  const catalog = dynamoCatalog({ table: table(), now })
  const objects = content()
  const gitHosts = stageGitHosts(process.env)
  return {
    catalog,
    jobs: dynamoJobs({ table: table(), now }),
    optOuts: dynamoOptOuts({ table: table(), now }),
    queue: queue(),
    snippets: listedSnippets(snippets(), snippetFiles()),
    clones: openClones(join(tmpdir(), 'clones'), log),
    gitHosts: () => gitHosts,
    gitTokens: gitTokens(),
    confluenceSites: confluenceSites(),
    // Only private libraries need it.
    gitToken: (host) => stageResources.GitTokens[host] || undefined,
    gitAccess: { env: process.env, caFile: undefined },
    sourceHosts: stageSourceHosts(process.env),
    uploads: objectUploads(objects),
    objects,
    asksForFacts: () => true,
    limits,
    publish: (signal) => publishSnapshot({ catalog, objects, now }, { signal, everyMs: publishEveryMs }),
    log,
    now,
  }
}

async function runBundle(request: BundleRequest): Promise<void> {
  const Payload = Buffer.from(JSON.stringify(request))
  await lambda.send(new InvokeCommand({ FunctionName: stageResources.Bundle.name, InvocationType: 'Event', Payload }))
}
