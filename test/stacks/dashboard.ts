import { describe, expect, test } from 'vitest'
import { cachingDisabled } from './edge.ts'
import { runRouter } from './run-router.ts'
import { all, one, type Stages, secrets, stageNames } from './stage.ts'

const router = 'DashboardRouter'
/** A policy that AWS keeps. */
const allViewerExceptHostHeader = 'b689b0a8-53d0-40ab-baf2-68738e2966ac'

/** The rules of user pools for passwords. */
export const passwords = { passwordPolicy: { minimumLength: 12, temporaryPasswordValidityDays: 7 } }

export const dashboardTests = (stages: () => Stages) => {
  describe.each(stageNames)('the dashboard of stage %s', (name) => {
    const distribution = () => one(stages()[name], 'cloudfront/distribution', router).inputs
    const signIn = () => stages()[name].builds.find((build) => build.name === 'Dashboard')?.links.SignIn ?? {}
    const url = name === 'production' ? 'https://app.docs.example.com' : 'https://d1.cloudfront.net'

    test('has a host of its own, where every path reaches its function, with the secret of the Router', async () => {
      const forged = { 'x-origin-secret': 'forged', 'x-viewer-address': '203.0.113.9' }
      for (const path of ['/', '/auth/callback', '/api/session', '/api/v2/context'])
        expect(await runRouter(stages()[name], path, forged, router)).toMatchObject({
          host: 'dashboardurl.lambda-url.us-east-1.on.aws',
          path,
          headers: {
            'x-origin-secret': { value: 'origin-secret-of-at-least-32-letters' },
            'x-viewer-address': { value: '2001:db8::7' },
          },
        })
    })

    test('is never cached, and gets cookies and all headers except Host', () => {
      expect(distribution().defaultCacheBehavior).toMatchObject({
        cachePolicyId: cachingDisabled,
        originRequestPolicyId: allViewerExceptHostHeader,
        viewerProtocolPolicy: 'https-only',
      })
      expect(distribution().customErrorResponses.every((each: Record<string, number>) => each.errorCachingMinTtl === 0)).toBe(
        true,
      )
    })

    test("has a Router whose function fits into CloudFront's limit of 10 kB, also with the longest secret", () => {
      const { code } = one(stages()[name], 'cloudfront/function', router).inputs
      const [sent = ''] = secrets.SST_SECRET_OriginSecret.split(',')
      expect(code.split(sent)).toHaveLength(2)
      expect(Buffer.byteLength(code.replace(sent, 'x'.repeat(64)))).toBeLessThanOrEqual(10_240)
    })

    test('accepts every method of its routes, at its own host only', async () => {
      expect(distribution().defaultCacheBehavior.allowedMethods).toEqual(
        expect.arrayContaining(['GET', 'HEAD', 'POST', 'PUT', 'PATCH', 'DELETE']),
      )
      expect(distribution().aliases).toEqual(name === 'production' ? ['app.docs.example.com'] : [])
      // CloudFront itself rejects hosts that are neither this one nor an alias.
      const hosted = await runRouter(stages()[name], '/', { host: 'd1.cloudfront.net' }, router)
      expect(hosted.status).toBe(name === 'production' ? 403 : undefined)
    })

    test('sends no data unencrypted or to third-party hosts, and has no log', () => {
      const { logging, loggingConfig, orderedCacheBehaviors, origins } = distribution()
      expect([logging, loggingConfig]).toEqual([undefined, undefined])
      expect(orderedCacheBehaviors ?? []).toEqual([])
      expect(origins).toHaveLength(1)
      expect(origins[0]).toMatchObject({
        domainName: 'gateway.execute-api.us-east-1.amazonaws.com',
        customOriginConfig: { originProtocolPolicy: 'https-only' },
      })
    })

    test('has the web ACL of the stage, which takes no samples', () => {
      const acl = one(stages()[name], 'wafv2/webAcl', router).inputs
      const [rule] = acl.rules
      expect(rule.statement).toMatchObject({ rateBasedStatement: { limit: 3_000, aggregateKeyType: 'IP' } })
      expect([rule, acl].map(({ visibilityConfig }) => visibilityConfig.sampledRequestsEnabled)).toEqual([false, false])
    })

    test("has a function without CORS, within CloudFront's time limit", () => {
      expect(one(stages()[name], 'lambda/functionUrl', 'Dashboard').inputs.cors).toBeUndefined()
      expect(one(stages()[name], 'lambda/function', 'Dashboard').inputs.timeout).toBeLessThan(30)
    })

    test('sends invitations from the address that the stage names, which is the only identity', () => {
      const identities = all(stages()[name], 'sesv2/emailIdentity').map(({ inputs }) => inputs.emailIdentity)
      const from = name === 'production' ? 'carrel@docs.example.com' : undefined
      expect(identities).toEqual(from === undefined ? [] : [from])
      expect(one(stages()[name], 'lambda/function', 'Dashboard').inputs.environment.variables.MAIL_FROM).toBe(from)
    })

    test('knows its own address and that of the API', () => {
      expect(signIn()).toMatchObject({ url, serviceUrl: url.replace('app.', '') })
    })

    test('signs people in at the issuer that the stage names, or at a user pool with verified addresses', () => {
      const pools = all(stages()[name], 'cognito/userPool')
      if (name === 'production') {
        expect(pools).toEqual([])
        expect(signIn()).toMatchObject({
          issuer: 'https://login.example.com/realm',
          clientId: 'carrel-production',
          clientSecret: 'secret-of-the-dashboard-at-its-issuer',
        })
        return
      }
      expect(pools[0]?.inputs).toMatchObject({
        ...passwords,
        deletionProtection: 'INACTIVE',
        usernameAttributes: ['email'],
        autoVerifiedAttributes: ['email'],
      })
      expect(one(stages()[name], 'cognito/userPoolClient', 'DashboardClient').inputs).toMatchObject({
        allowedOauthFlows: ['code'],
        allowedOauthScopes: ['openid', 'email', 'profile'],
        callbackUrls: [`${url}/auth/callback`],
        generateSecret: true,
        preventUserExistenceErrors: 'ENABLED',
      })
      expect(signIn()).toMatchObject({
        issuer: expect.stringMatching(/^https:\/\/cognito-idp\.us-east-1\.amazonaws\.com\//),
        clientSecret: 'secret of the dashboard at Cognito',
      })
    })
  })
}
