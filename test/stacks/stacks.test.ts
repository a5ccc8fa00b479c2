import { beforeAll, describe, expect, test } from 'vitest'
import { accessTests } from './access.ts'
import { alarmTests } from './alarms.ts'
import { dashboardTests, passwords } from './dashboard.ts'
import { entryTests } from './entries.ts'
import { evaluateStage } from './evaluate-stage.ts'
import { limitTests } from './limits.ts'
import { permissionTests } from './permissions.ts'
import { pipelineTests } from './pipeline.ts'
import { routeTests } from './routes.ts'
import { runbookTests } from './runbook.ts'
import { all, one, productionVariables, type Stages, secrets } from './stage.ts'
import { storageTests } from './storage.ts'
import { tenantTests } from './tenants.ts'

describe('the infrastructure', () => {
  let stages: Stages
  // The first run on a clone makes .sst/platform.
  beforeAll(async () => {
    const [production, dev] = await Promise.all([
      evaluateStage('production', { ...secrets, ...productionVariables }),
      evaluateStage('dev', secrets),
    ])
    stages = { production, dev }
  }, 400_000)

  storageTests(() => stages)
  permissionTests(() => stages)
  routeTests(() => stages)
  dashboardTests(() => stages)
  tenantTests(() => stages)
  accessTests(() => stages)
  limitTests(() => stages)
  alarmTests(() => stages)
  runbookTests(() => stages)
  pipelineTests(() => stages)
  entryTests(() => stages)
})

test('a stage uses the table that RESTORED_TABLE names for everything, and creates no other', async () => {
  const stage = await evaluateStage('production', { ...secrets, ...productionVariables, RESTORED_TABLE: 'carrel-restored' })
  const made = JSON.stringify([stage.resources, stage.builds])
  expect(all(stage, 'dynamodb/table').map(({ name }) => name)).toEqual(['SaltsTable'])
  expect(made).toContain(':table/carrel-restored')
  expect(made).not.toMatch(/TableTable/)
  expect(stage.builds.find(({ name }) => name === 'Api')?.links.Table).toMatchObject({ name: 'carrel-restored' })
})

test('spaces and line ends around the variables of a stage are ignored', async () => {
  const padded = Object.entries(productionVariables).map(([name, value]) => [name, ` ${value}\r\n`])
  const stage = await evaluateStage('production', { ...secrets, ...Object.fromEntries(padded) })
  const { variables } = one(stage, 'lambda/function', 'Dashboard').inputs.environment
  const { GITLAB_BASE_URL, REQUEST_LIMITS, MAIL_FROM } = productionVariables
  expect(variables).toMatchObject({ GITLAB_BASE_URL, REQUEST_LIMITS, MAIL_FROM })
  expect(all(stage, 'sns/topicSubscription').map(({ inputs }) => inputs.endpoint)).toEqual(['ops@example.com', 'ops@example.com'])
  expect(all(stage, 'cloudfront/distribution').flatMap(({ inputs }) => inputs.aliases)).toContain('docs.example.com')
})

test('the user pool of production, if it has no issuer of its own, cannot be deleted', async () => {
  const variables = { ...productionVariables, OIDC_ISSUER: '', OIDC_CLIENT_ID: '' }
  const stage = await evaluateStage('production', { ...secrets, ...variables })
  expect(one(stage, 'cognito/userPool', 'Users').inputs).toMatchObject({ ...passwords, deletionProtection: 'ACTIVE' })
  expect(one(stage, 'cognito/userPoolClient', 'DashboardClient').inputs.callbackUrls).toEqual([
    'https://app.docs.example.com/auth/callback',
  ])
})

describe('the configuration of a stage', () => {
  const without = (name: keyof typeof secrets) => Object.fromEntries(Object.entries(secrets).filter(([other]) => other !== name))

  test.each([
    [
      'a second origin secret that could be guessed',
      'dev',
      { ...secrets, SST_SECRET_OriginSecret: `${'x'.repeat(32)},short` },
      'Each value of OriginSecret needs 32 to 64',
    ],
    [
      'the private half of the license key',
      'dev',
      { ...secrets, SST_SECRET_LicenseKey: '-----BEGIN PRIVATE KEY-----' },
      'public half',
    ],
    [
      'no license key in production',
      'production',
      { ...without('SST_SECRET_LicenseKey'), ...productionVariables },
      'sst secret set LicenseKey',
    ],
    [
      'an empty license key in production',
      'production',
      { ...secrets, ...productionVariables, SST_SECRET_LicenseKey: '' },
      'LicenseKey is empty',
    ],
    [
      'no person on duty in production',
      'production',
      { ...secrets, ...productionVariables, ALARM_SUBSCRIBER: '' },
      'ALARM_SUBSCRIBER must be the address',
    ],
    ['no region in production', 'production', { ...secrets, ...productionVariables, DEPLOY_REGION: '' }, 'Set DEPLOY_REGION'],
    [
      'another region than the shell',
      'dev',
      { ...secrets, DEPLOY_REGION: 'eu-west-1' },
      'This would deploy to the region us-east-1',
    ],
    ['another account', 'dev', { ...secrets, DEPLOY_ACCOUNT: '210987654321' }, 'This would deploy to the account 123456789012'],
    [
      'a person on duty without an address',
      'dev',
      { ...secrets, ALARM_SUBSCRIBER: 'me' },
      'ALARM_SUBSCRIBER is "me" and must be',
    ],
    ['limits that are no JSON', 'dev', { ...secrets, REQUEST_LIMITS: '60' }, 'REQUEST_LIMITS cannot be used'],
    [
      'an issuer over http',
      'dev',
      { ...secrets, OIDC_ISSUER: 'http://login.example.com', OIDC_CLIENT_ID: 'x' },
      'OIDC_ISSUER is "http://login.example.com" and must be',
    ],
    [
      'an issuer that does not know the dashboard',
      'dev',
      { ...secrets, OIDC_ISSUER: 'https://login.example.com' },
      'OIDC_CLIENT_ID',
    ],
    [
      'a sender with a name',
      'dev',
      { ...secrets, MAIL_FROM: 'Carrel <carrel@example.com>' },
      'MAIL_FROM is "Carrel <carrel@example.com>" and must be one',
    ],
    ['no requests', 'dev', { ...secrets, REQUESTS_PER_SECOND: '0' }, 'REQUESTS_PER_SECOND is "0" and must be a whole number'],
    [
      'a domain that is an address',
      'dev',
      { ...secrets, DOMAIN: 'https://docs.example.com' },
      'DOMAIN is "https://docs.example.com" and must be a domain',
    ],
    [
      'a git host that a worker cannot reach',
      'dev',
      { ...secrets, GITHUB_BASE_URL: 'https://git.example.com:8443' },
      'GITHUB_BASE_URL is "https://git.example.com:8443" and must be an address such as',
    ],
    [
      'terms outside the checkout',
      'dev',
      { ...secrets, TERMS_FILE: '/etc/terms.md' },
      'TERMS_FILE is "/etc/terms.md" and must be the path of',
    ],
    [
      'a privacy statement above it',
      'dev',
      { ...secrets, PRIVACY_FILE: 'a/../../b.md' },
      'PRIVACY_FILE is "a/../../b.md" and must be the path of',
    ],
  ])('is rejected with advice if it has %s', async (_what, stage, given, told) => {
    await expect(evaluateStage(stage, given)).rejects.toThrow(told)
  })
})
