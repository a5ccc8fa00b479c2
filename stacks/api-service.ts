import { allowStart, type Grant, logging, ownRoles, secretParameter } from './container.ts'
import { textFiles } from './pages.ts'
import { domain, production } from './stage.ts'

type ApiParts = {
  environment: Record<string, $util.Input<string>>
  link: $util.Input<unknown>[]
  permissions: Grant[]
  secrets: Record<string, sst.Secret>
}

const port = 8080
const network = '10.0.0.0/16'

/** The API as a service behind a load balancer, which only CloudFront can reach. Hundreds of requests a second share the caches of a task. */
export function apiService({ environment, link, permissions, secrets }: ApiParts): sst.aws.Service {
  // Public subnets without NAT: a task has its own public address to reach AWS, and accepts connections of the load balancer only.
  const vpc = new sst.aws.Vpc('ApiNetwork', {
    transform: {
      vpc: { cidrBlock: network },
      securityGroup: {
        ingress: [{ protocol: 'tcp', fromPort: port, toPort: port, cidrBlocks: [network] }],
        egress: [{ protocol: 'tcp', fromPort: 443, toPort: 443, cidrBlocks: ['0.0.0.0/0'] }],
      },
    },
  })
  const parameters = Object.entries(secrets).map(([name, { value }]) => ({
    variable: `SST_RESOURCE_${name}`,
    parameter: secretParameter(`Api${name}`, `api/${name}`, $jsonStringify({ value })),
  }))
  const service = new sst.aws.Service('Api', {
    cluster: new sst.aws.Cluster('ApiCluster', { vpc }),
    architecture: 'arm64',
    cpu: '2 vCPU',
    memory: '4 GB',
    image: { context: '.', dockerfile: 'functions/worker/Dockerfile', target: 'service', args: textFiles },
    logging: logging('Api'),
    environment,
    link,
    ssm: Object.fromEntries(parameters.map(({ variable, parameter }) => [variable, parameter.arn])),
    loadBalancer: {
      domain: `origin.${domain}`,
      rules: [{ listen: '443/https', forward: `${port}/http` }],
      health: {
        [`${port}/http`]: { path: '/alive', interval: '10 seconds', healthyThreshold: 2, unhealthyThreshold: 3 },
      },
    },
    // Memory says nothing about load, because caches fill it.
    scaling: { min: 2, max: 20, cpuUtilization: 60, memoryUtilization: false },
    transform: {
      ...ownRoles(permissions),
      loadBalancerSecurityGroup: {
        ingress: [{ protocol: 'tcp', fromPort: 443, toPort: 443, prefixListIds: [cloudFront()] }],
        egress: [{ protocol: 'tcp', fromPort: port, toPort: port, cidrBlocks: [network] }],
      },
      loadBalancer: { dropInvalidHeaderFields: true, enableDeletionProtection: production },
      listener: { sslPolicy: 'ELBSecurityPolicy-TLS13-1-2-2021-06' },
      // After the signal to stop, a task takes requests for five more seconds, then finishes those that are running.
      target: { deregistrationDelay: 15 },
      service: { enableExecuteCommand: false, healthCheckGracePeriodSeconds: 60 },
    },
  })
  allowStart(
    'Api',
    service,
    parameters.map(({ parameter }) => parameter),
  )
  return service
}

/** The addresses from which CloudFront connects to origins. */
const cloudFront = () => aws.ec2.getManagedPrefixListOutput({ name: 'com.amazonaws.global.cloudfront.origin-facing' }).id
