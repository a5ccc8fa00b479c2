import { beforeAll, describe, expect, test } from 'vitest'
import { evaluateStage, type Stage } from './evaluate-stage.ts'
import { mayDo } from './may-do.ts'
import { byResource } from './permissions.ts'
import { runRouter } from './run-router.ts'
import { alarmsOf, alarmsOfService, describedAlarms } from './runbook.ts'
import { all, bodyOf, one, rolesOf, secrets } from './stage.ts'

describe('a stage whose API is a service', () => {
  let stage: Stage
  beforeAll(async () => {
    stage = await evaluateStage('dev', { ...secrets, DOMAIN: 'docs.example.com', API_COMPUTE: 'service' })
  }, 400_000)

  test('its alarms have sections in the runbook, also those that only a service has', () => {
    expect(alarmsOf(stage)).toEqual(expect.arrayContaining(alarmsOfService))
    expect(alarmsOf(stage).filter((name) => !describedAlarms.includes(name))).toEqual([])
  })

  test('has neither a gateway nor a function for the API, and sends its requests to the load balancer over TLS', async () => {
    expect(stage.builds.map(({ name }) => name)).not.toContain('Api')
    expect(all(stage, 'apigatewayv2/api')).toEqual([])
    const origin = 'origin.dev.docs.example.com'
    expect(await runRouter(stage, '/mcp', { host: 'dev.docs.example.com' })).toMatchObject({ host: origin, path: '/mcp' })
    const { origins } = one(stage, 'cloudfront/distribution', 'Router').inputs
    expect(origins).toMatchObject([{ domainName: origin, customOriginConfig: { originProtocolPolicy: 'https-only' } }])
    expect(one(stage, 'lb/listener', 'Api').inputs).toMatchObject({ port: 443, protocol: 'HTTPS' })
    expect(one(stage, 'acm/certificate', 'ApiSsl').inputs.domainName).toBe(origin)
  })

  test('runs two to twenty tasks of 2 vCPU and 4 GB on ARM, by their load', () => {
    const { inputs } = one(stage, 'ecs/taskDefinition', 'Api')
    expect(inputs).toMatchObject({ cpu: '2048', memory: '4096', runtimePlatform: { cpuArchitecture: 'ARM64' } })
    expect(one(stage, 'appautoscaling/target', 'Api').inputs).toMatchObject({ minCapacity: 2, maxCapacity: 20 })
    expect(all(stage, 'appautoscaling/policy').map(({ name }) => name)).toEqual(['ApiAutoScalingCpuPolicy'])
    const image = stage.resources.find(({ type, name }) => type.startsWith('docker-build:') && name.startsWith('Api'))
    expect(image?.inputs).toMatchObject({
      target: 'service',
      platforms: ['linux/arm64'],
      buildArgs: { TERMS_FILE: 'functions/pages/texts/terms.md', PRIVACY_FILE: 'functions/pages/texts/privacy.md' },
    })
  })

  test('checks the health of a task at the path that needs no secret, and lets a stopping task end its requests', () => {
    const { healthCheck, deregistrationDelay } = one(stage, 'lb/targetGroup', 'Api').inputs
    expect(healthCheck).toMatchObject({ path: '/alive', matcher: '200' })
    expect(deregistrationDelay).toBeGreaterThan(10)
  })

  test('accepts connections of CloudFront at the load balancer, and of the load balancer at a task', () => {
    expect(one(stage, 'ec2/securityGroup', 'ApiLoadBalancer').inputs.ingress).toEqual([
      { protocol: 'tcp', fromPort: 443, toPort: 443, prefixListIds: [expect.stringContaining('cloudfront.origin-facing')] },
    ])
    expect(one(stage, 'ec2/defaultSecurityGroup', 'ApiNetwork').inputs.ingress).toEqual([
      { protocol: 'tcp', fromPort: 8080, toPort: 8080, cidrBlocks: ['10.0.0.0/16'] },
    ])
    expect(one(stage, 'ecs/service', 'Api').inputs.enableExecuteCommand).toBe(false)
  })

  test('may do what the function may, and AWS may start its container with its two secrets', () => {
    const { 'log Api': _log, '*': _trace, ...ofFunction } = mayDo.ApiRole ?? {}
    const may = Object.fromEntries(Object.entries(rolesOf(stage)).map(([role, { statements }]) => [role, byResource(statements)]))
    expect(may.ApiTaskRole).toEqual(ofFunction)
    expect(may.ApiExecutionRole).toEqual({
      ...mayDo.WorkerExecutionRole,
      'parameter git-tokens': undefined,
      'log Worker': undefined,
      'parameter api/OriginSecret': ['ssm:GetParameters'],
      'parameter api/LicenseKey': ['ssm:GetParameters'],
      'log Api': ['logs:CreateLogStream', 'logs:PutLogEvents'],
    })
  })

  test('has no secret in the definition of its task', () => {
    const { containerDefinitions } = one(stage, 'ecs/taskDefinition', 'Api').inputs
    const [{ environment, secrets: referenced }] = JSON.parse(containerDefinitions)
    expect(referenced.map(({ name }: { name: string }) => name)).toEqual(['SST_RESOURCE_OriginSecret', 'SST_RESOURCE_LicenseKey'])
    expect(environment.map(({ name }: { name: string }) => name)).toEqual(
      expect.arrayContaining(['Table', 'Salts', 'Content', 'Usage', 'Jobs'].map((each) => `SST_RESOURCE_${each}`)),
    )
    for (const secret of ['origin-secret-of-at-least', bodyOf(secrets.SST_SECRET_LicenseKey)])
      expect(containerDefinitions).not.toContain(secret)
  })

  test('has alarms for errors of the load balancer and of the tasks', () => {
    const alarms = all(stage, 'cloudwatch/metricAlarm').map(({ name }) => name)
    expect(alarms).toEqual(expect.arrayContaining(['ApiBalancerErrors', 'ApiTaskErrors']))
    expect(alarms).not.toContain('GatewayErrors')
  })
})

test.each([
  ['no domain', { API_COMPUTE: 'service' }, 'needs a DOMAIN'],
  ['another value', { API_COMPUTE: 'fargate' }, 'must be lambda or service'],
])(
  'a stage is rejected with advice if API_COMPUTE has %s',
  async (_what, env, told) => {
    await expect(evaluateStage('dev', { ...secrets, ...env })).rejects.toThrow(told)
  },
  60_000,
)
