import { readFileSync, rmSync } from 'node:fs'
import { join } from 'node:path'
import { logDays } from './stage.ts'

type Lambda = Omit<sst.aws.FunctionArgs, 'permissions' | 'environment' | 'logging' | 'nodejs' | 'transform'> & {
  environment?: Record<string, $util.Input<string>>
  permissions: Exclude<sst.aws.FunctionArgs['permissions'], $util.Output<unknown> | Promise<unknown> | undefined>
  /** Whether it opens snippets: LanceDB is 177 MB of the 250 MB that a Lambda may weigh. */
  lance?: boolean
}

/** The memory at which a Lambda gets one whole processor. */
export const oneProcessor = '1769 MB'

/** SST's managed policy may write to every log of the account, and its trust lets whoever may act for the account take the role. */
const ownRole = {
  managedPolicyArns: [],
  assumeRolePolicy: aws.iam.assumeRolePolicyForPrincipal({ Service: 'lambda.amazonaws.com' }),
}

/** A Lambda that may do what `permissions` says, write its own log and nothing else. */
export function lambda(name: string, { environment, permissions, lance = false, ...args }: Lambda): sst.aws.Function {
  const logs = new aws.cloudwatch.LogGroup(`${name}Logs`, {
    name: `/${$app.name}/${$app.stage}/${name}`,
    retentionInDays: logDays,
  })
  return new sst.aws.Function(name, {
    ...args,
    runtime: 'nodejs24.x',
    // A fifth cheaper than x86_64, and nothing is compiled for it.
    architecture: 'arm64',
    environment: { POWERTOOLS_SERVICE_NAME: name, POWERTOOLS_METRICS_NAMESPACE: $app.name, ...environment },
    // The log's lines are JSON already, and a replay reads them as they were written.
    logging: { logGroup: logs.name, format: 'text' },
    nodejs: lance ? { install: lancePackages() } : undefined,
    hook: lance ? { postbuild: leaveOutModels } : undefined,
    permissions: [
      ...permissions,
      { actions: ['logs:CreateLogStream', 'logs:PutLogEvents'], resources: [$interpolate`${logs.arn}:*`] },
      // AWS knows no narrower resource for these two.
      { actions: ['xray:PutTraceSegments', 'xray:PutTelemetryRecords'], resources: ['*'] },
    ],
    transform: {
      role: $dev ? {} : ownRole,
      function: { tracingConfig: { mode: 'Active' } },
    },
  })
}

/** What LanceDB could make embeddings with is heavier than a Lambda may be, and nothing here calls it. */
const models = ['@huggingface', '@img', 'onnxruntime-common', 'onnxruntime-node', 'onnxruntime-web', 'openai', 'sharp']

async function leaveOutModels(built: string): Promise<void> {
  for (const name of models) rmSync(join(built, 'node_modules', name), { recursive: true, force: true })
}

/** The native module is named, since npm on another system would take none or another one. */
function lancePackages(): Record<string, string> {
  const { dependencies } = JSON.parse(readFileSync('package.json', 'utf8'))
  const version = dependencies['@lancedb/lancedb']
  return {
    '@lancedb/lancedb': version,
    '@lancedb/lancedb-linux-arm64-gnu': version,
    'apache-arrow': dependencies['apache-arrow'],
  }
}
