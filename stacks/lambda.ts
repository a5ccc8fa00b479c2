import { readFileSync, rmSync } from 'node:fs'
import { join } from 'node:path'
import { concurrentRuns } from './limits.ts'
import { logDays } from './stage.ts'

type Lambda = Omit<sst.aws.FunctionArgs, 'permissions' | 'environment' | 'logging' | 'nodejs' | 'transform'> & {
  environment?: Record<string, $util.Input<string>>
  permissions: Exclude<sst.aws.FunctionArgs['permissions'], $util.Output<unknown> | Promise<unknown> | undefined>
  /** True if it reads snippets. LanceDB takes most of the size that a Lambda may have. */
  lance?: boolean
}

/** The namespace of the functions' own metrics. Its stages are separate. */
export const metricsNamespace = `${$app.name}/${$app.stage}`

export const logGroupOf = (name: string): string => `/${$app.name}/${$app.stage}/${name}`

/** A Lambda with this memory gets one whole processor. */
export const oneProcessor = '1769 MB'

/** Replaces SST's role, whose policy allows writing to every log of the account and which every principal of the account can assume. */
const ownRole = {
  managedPolicyArns: [],
  assumeRolePolicy: aws.iam.assumeRolePolicyForPrincipal({ Service: 'lambda.amazonaws.com' }),
}

/** A Lambda that has only `permissions` and may write its own log. */
export function lambda(name: string, { environment, permissions, lance = false, ...args }: Lambda): sst.aws.Function {
  const logs = new aws.cloudwatch.LogGroup(`${name}Logs`, {
    name: logGroupOf(name),
    retentionInDays: logDays,
  })
  return new sst.aws.Function(name, {
    ...args,
    runtime: 'nodejs24.x',
    // arm64 is cheaper than x86_64, and nothing is compiled for x86_64.
    architecture: 'arm64',
    concurrency: { reserved: concurrentRuns[name] },
    environment: {
      POWERTOOLS_SERVICE_NAME: name,
      POWERTOOLS_METRICS_NAMESPACE: metricsNamespace,
      // Requests that a container sends at its start belong to no trace.
      AWS_XRAY_CONTEXT_MISSING: 'IGNORE_ERROR',
      ...environment,
    },
    // The lines of the log are JSON already, and a replay reads them unchanged.
    logging: { logGroup: logs.name, format: 'text' },
    // SST minifies only if it is told to, although its documentation says otherwise.
    nodejs: { minify: true, ...(lance && { install: lancePackages() }) },
    hook: lance ? { postbuild: leaveOutModels } : undefined,
    permissions: [
      ...permissions,
      { actions: ['logs:CreateLogStream', 'logs:PutLogEvents'], resources: [$interpolate`${logs.arn}:*`] },
      // AWS has no narrower resource for these two actions.
      { actions: ['xray:PutTraceSegments', 'xray:PutTelemetryRecords'], resources: ['*'] },
    ],
    transform: {
      role: $dev ? {} : ownRole,
      function: { tracingConfig: { mode: 'Active' } },
    },
  })
}

/** LanceDB's optional packages for embeddings are larger than a Lambda may be, and nothing uses them. */
const models = ['@huggingface', '@img', 'onnxruntime-common', 'onnxruntime-node', 'onnxruntime-web', 'openai', 'sharp']

async function leaveOutModels(built: string): Promise<void> {
  for (const name of models) rmSync(join(built, 'node_modules', name), { recursive: true, force: true })
}

/** The native module is named explicitly, because npm on another system would install a different one or none. */
function lancePackages(): Record<string, string> {
  const { dependencies } = JSON.parse(readFileSync('package.json', 'utf8'))
  const version = dependencies['@lancedb/lancedb']
  return {
    '@lancedb/lancedb': version,
    '@lancedb/lancedb-linux-arm64-gnu': version,
    'apache-arrow': dependencies['apache-arrow'],
  }
}
