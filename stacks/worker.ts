import { allowStart, logging, ownRoles, secretParameter } from './container.ts'
import { changeObjects, items, nameOf, under } from './grants.ts'
import { jobs } from './jobs.ts'
import { gitHubToken, gitLabToken } from './secrets.ts'
import { gitHosts } from './stage.ts'
import { content, table } from './storage.ts'
import { decryptTokens, tokenKey } from './token-key.ts'

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
  // It deletes a library whose owner disallows indexing.
  under(['CATALOG#'], items(table, 'GetItem', 'Query', 'PutItem', 'DeleteItem')),
  under(['OPTOUTS'], items(table, 'GetItem')),
  under(['DETAILS#'], items(table, 'GetItem', 'Query', 'PutItem', 'DeleteItem')),
  under(['GENERATIONS'], items(table, 'PutItem', 'DeleteItem')),
  under(['JOBS'], items(table, 'GetItem', 'UpdateItem', 'DeleteItem')),
  under(['SNAPSHOT'], items(table, 'GetItem', 'Query', 'PutItem', 'UpdateItem', 'DeleteItem')),
  // The tokens of the teamspace that owns a private library.
  under(['TEAM#'], items(table, 'GetItem')),
  decryptTokens,
  ...changeObjects(content),
  { actions: ['sqs:SendMessage'], resources: [jobs.arn] },
]

const gitTokens = secretParameter(
  'GitTokens',
  'git-tokens',
  $jsonStringify({ github: gitHubToken.value, gitlab: gitLabToken.value }),
)

/** Parses the library of one job and exits. Nothing runs while there are no jobs. */
export const worker = new sst.aws.Task('Worker', {
  cluster,
  // It is cheaper than x86_64. A machine of another architecture emulates it while it builds the image.
  architecture: 'arm64',
  cpu: '2 vCPU',
  memory: '8 GB',
  storage: '40 GB',
  image: { context: '.', dockerfile: 'functions/worker/Dockerfile', target: 'worker' },
  logging: logging('Worker'),
  environment: gitHosts,
  link: [nameOf(table), nameOf(content), nameOf(jobs), tokenKey],
  ssm: { SST_RESOURCE_GitTokens: gitTokens.arn },
  transform: ownRoles(grants),
})

allowStart('Worker', worker, [gitTokens])
