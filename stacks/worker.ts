import { changeObjects, items, nameOf, under } from './grants.ts'
import { jobs } from './jobs.ts'
import { gitHubToken, gitLabToken } from './secrets.ts'
import { gitHosts, logDays } from './stage.ts'
import { content, table } from './storage.ts'

/** Public subnets without NAT: a running worker has its own public address to reach git hosts, and accepts no connections. */
const vpc = new sst.aws.Vpc('Network', {
  transform: {
    securityGroup: {
      ingress: [],
      egress: [{ protocol: 'tcp', fromPort: 443, toPort: 443, cidrBlocks: ['0.0.0.0/0'] }],
    },
  },
})

const cluster = new sst.aws.Cluster('Cluster', { vpc })

const grants = [
  under(['CATALOG#'], items(table, 'GetItem', 'Query', 'PutItem')),
  under(['GENERATIONS'], items(table, 'PutItem', 'DeleteItem')),
  under(['JOBS'], items(table, 'GetItem', 'UpdateItem', 'DeleteItem')),
  under(['SNAPSHOT'], items(table, 'Query', 'PutItem', 'UpdateItem', 'DeleteItem')),
  ...changeObjects(content),
  { actions: ['sqs:SendMessage'], resources: [jobs.arn] },
]

/** SST writes linked values into the task definition, which many principals can read. A parameter is decrypted only when the task starts. */
const gitTokens = new aws.ssm.Parameter('GitTokens', {
  name: `/${$app.name}/${$app.stage}/git-tokens`,
  type: 'SecureString',
  value: $jsonStringify({ github: gitHubToken.value, gitlab: gitLabToken.value }),
})

/** Parses the library of one job and exits. Nothing runs while there are no jobs. */
export const worker = new sst.aws.Task('Worker', {
  cluster,
  // It is cheaper than x86_64. A machine of another architecture emulates it while it builds the image.
  architecture: 'arm64',
  cpu: '2 vCPU',
  memory: '8 GB',
  storage: '40 GB',
  image: { context: '.', dockerfile: 'functions/worker/Dockerfile' },
  logging: { name: `/${$app.name}/${$app.stage}/Worker`, retention: logDays === 30 ? '1 month' : '1 week' },
  environment: gitHosts,
  link: [nameOf(table), nameOf(content), nameOf(jobs)],
  ssm: { SST_RESOURCE_GitTokens: gitTokens.arn },
  transform: {
    // The default roles of SST can read every secret and write to every log of the account.
    taskRole: { inlinePolicies: [{ name: 'inline', policy: policyOf(grants) }] },
    executionRole: { managedPolicyArns: [], inlinePolicies: [] },
  },
})

const account = aws.getCallerIdentityOutput().accountId
const region = aws.getRegionOutput().region
const partition = aws.getPartitionOutput().partition

/** `<account>.dkr.ecr.<region>.amazonaws.com/<repository>@<digest>`, as SST pushed it. */
const repository = worker.nodes.taskDefinition.containerDefinitions.apply((definitions) => {
  const [{ image }] = JSON.parse(definitions)
  return image.slice(image.indexOf('/') + 1, image.indexOf('@'))
})

new aws.iam.RolePolicy('WorkerExecution', {
  role: worker.nodes.executionRole.name,
  policy: policyOf([
    // AWS has no narrower resource for this action.
    { actions: ['ecr:GetAuthorizationToken'], resources: ['*'] },
    {
      actions: ['ecr:BatchCheckLayerAvailability', 'ecr:BatchGetImage', 'ecr:GetDownloadUrlForLayer'],
      resources: [$interpolate`arn:${partition}:ecr:${region}:${account}:repository/${repository}`],
    },
    { actions: ['ssm:GetParameters'], resources: [gitTokens.arn] },
    {
      actions: ['logs:CreateLogStream', 'logs:PutLogEvents'],
      resources: [$interpolate`arn:${partition}:logs:${region}:${account}:log-group:/${$app.name}/${$app.stage}/Worker:*`],
    },
  ]),
})

function policyOf(statements: { actions: string[]; resources: $util.Input<string>[] }[]) {
  return aws.iam.getPolicyDocumentOutput({ statements }).json
}
