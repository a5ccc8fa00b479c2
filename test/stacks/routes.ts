import { describe, expect, test } from 'vitest'
import { runRouter } from './run-router.ts'
import { all, bodyOf, one, type Stages, secrets, stageNames } from './stage.ts'

const gateway = 'gateway.execute-api.us-east-1.amazonaws.com'
const exporter = 'exporturl.lambda-url.us-east-1.on.aws'

const gitTokens = ['token-of-github', 'token-of-gitlab']
/** A policy that AWS keeps. */
const allViewerExceptHostHeader = 'b689b0a8-53d0-40ab-baf2-68738e2966ac'

export const routeTests = (stages: () => Stages) => {
  describe.each(stageNames)('routes of stage %s', (name) => {
    test.each([
      ['/api/v2/libs/search', gateway],
      ['/api/v2/libs/metrics', gateway],
      ['/mcp', gateway],
      ['/', gateway],
      ['/honojs/website', gateway],
      ['/honojs/website@v4/llms.txt', gateway],
      ['/badge/honojs/website.svg', gateway],
      ['/sitemap.xml', gateway],
      ['/api/v1/enterprise/exports', gateway],
      ['/api/v1/enterprise', gateway],
      ['/api/v1/enterprise/export', exporter],
      ['/api/v1/enterprise/export/more', exporter],
    ])('the path %s is routed to %s', async (path, host) => {
      expect(await runRouter(stages()[name], path)).toMatchObject({ host, path })
    })

    test("the Router's function fits into CloudFront's limit of 10 kB, also with the longest secret", () => {
      const { code } = one(stages()[name], 'cloudfront/function', 'Router').inputs
      const [sent = ''] = secrets.SST_SECRET_OriginSecret.split(',')
      expect(code.split(sent)).toHaveLength(2)
      expect(Buffer.byteLength(code.replace(sent, 'x'.repeat(64)))).toBeLessThanOrEqual(10_240)
    })

    test('the Router overwrites the origin secret and the address that a caller sends', async () => {
      const forged = { 'x-origin-secret': 'forged', 'x-viewer-address': '203.0.113.9', 'x-forwarded-host': 'elsewhere' }
      for (const path of ['/mcp', '/api/v1/enterprise/export'])
        expect((await runRouter(stages()[name], path, forged)).headers).toMatchObject({
          'x-origin-secret': { value: 'origin-secret-of-at-least-32-letters' },
          'x-viewer-address': { value: '2001:db8::7' },
          'x-forwarded-host': { value: name === 'production' ? 'docs.example.com' : 'd1.cloudfront.net' },
        })
    })

    test('CloudFront caches only what a response allows, and its cache key has everything that responses depend on', () => {
      const { maxTtl, defaultTtl, minTtl, parametersInCacheKeyAndForwardedToOrigin } = one(
        stages()[name],
        'cloudfront/cachePolicy',
        'Router',
      ).inputs
      expect({ maxTtl, defaultTtl, minTtl }).toEqual({ maxTtl: 86_400, defaultTtl: 0, minTtl: 0 })
      expect(parametersInCacheKeyAndForwardedToOrigin).toMatchObject({
        headersConfig: {
          headerBehavior: 'whitelist',
          headers: { items: ['Authorization', 'CloudFront-Viewer-Country', 'x-forwarded-host'] },
        },
        queryStringsConfig: { queryStringBehavior: 'all' },
        cookiesConfig: { cookieBehavior: 'none' },
      })
    })

    test('CloudFront caches no error', () => {
      const { customErrorResponses } = one(stages()[name], 'cloudfront/distribution', 'Router').inputs
      const codes = [400, 403, 404, 405, 414, 416, 500, 501, 502, 503, 504]
      expect(customErrorResponses).toEqual(codes.map((errorCode) => ({ errorCode, errorCachingMinTtl: 0 })))
    })

    test('all headers except Host reach the functions: x-context7-…, user-agent, mcp-session-id, content-type', () => {
      const { defaultCacheBehavior } = one(stages()[name], 'cloudfront/distribution', 'Router').inputs
      expect(defaultCacheBehavior.originRequestPolicyId).toBe(allViewerExceptHostHeader)
      expect(defaultCacheBehavior.allowedMethods).toEqual(expect.arrayContaining(['DELETE', 'GET', 'PATCH', 'POST']))
    })

    test('CloudFront accepts only https, and sends no data unencrypted or to third-party hosts', () => {
      const { defaultCacheBehavior, origins, orderedCacheBehaviors } = one(
        stages()[name],
        'cloudfront/distribution',
        'Router',
      ).inputs
      expect(defaultCacheBehavior.viewerProtocolPolicy).toBe('https-only')
      expect(orderedCacheBehaviors ?? []).toEqual([])
      expect(origins).toHaveLength(1)
      expect(origins[0]).toMatchObject({ domainName: gateway, customOriginConfig: { originProtocolPolicy: 'https-only' } })
    })

    test('no log of any layer has a query string, an address or a user agent', () => {
      const stage = stages()[name]
      const { logging, loggingConfig } = one(stage, 'cloudfront/distribution', 'Router').inputs
      expect([logging, loggingConfig]).toEqual([undefined, undefined])
      for (const type of ['cloudfront/realtimeLogConfig', 'cloudwatch/logDelivery', 'wafv2/webAclLoggingConfiguration'])
        expect(all(stage, type)).toEqual([])
      const fields = Object.values(JSON.parse(one(stage, 'apigatewayv2/stage', 'Gateway').inputs.accessLogSettings.format))
      expect(fields).toEqual([
        '$context.requestId',
        '$context.requestTime',
        '$context.httpMethod',
        '$context.path',
        '$context.status',
        '$context.responseLength',
        '$context.responseLatency',
        '$context.integrationLatency',
        '$context.error.responseType',
      ])
    })

    test("the export streams without CORS, everything else responds within API Gateway's limit", () => {
      const url = one(stages()[name], 'lambda/functionUrl', 'Export').inputs
      expect(url).toMatchObject({ invokeMode: 'RESPONSE_STREAM', authorizationType: 'NONE' })
      expect(url.cors).toBeUndefined()
      expect(one(stages()[name], 'lambda/function', 'Api').inputs.timeout).toBeLessThan(30)
      expect(one(stages()[name], 'apigatewayv2/api', 'Gateway').inputs.corsConfiguration ?? {}).toEqual({})
    })

    test('secrets are encrypted in the state, and in no environment', () => {
      const stage = stages()[name]
      const plain = stage.resources.map((made) => made.plain).join()
      for (const secret of ['origin-secret-of-at-least', bodyOf(secrets.SST_SECRET_BundleKey), ...gitTokens])
        expect(plain).not.toContain(secret)
      const links = Object.fromEntries(stage.builds.map((build) => [build.name, Object.keys(build.links)]))
      const holders = (secret: string) =>
        Object.keys(links)
          .filter((lambda) => links[lambda]?.includes(secret))
          .sort()
      expect(holders('OriginSecret')).toEqual(['Api', 'Dashboard', 'Export'])
      expect(holders('LicenseKey')).toEqual(['Api', 'Dashboard', 'Export'])
      expect(holders('SignIn')).toEqual(['Dashboard'])
      expect(holders('BundleKey')).toEqual(['Bundle'])
      for (const secret of ['GitHubToken', 'GitLabToken']) expect(holders(secret)).toEqual([])
      const readable = stage.resources
        .filter((made) => /lambda\/function:|taskDefinition/.test(made.type))
        .map((made) => JSON.stringify(made.inputs))
        .join()
      for (const secret of [
        'origin-secret-of-at-least',
        'secret of the dashboard at Cognito',
        secrets.SST_SECRET_OidcClientSecret,
        bodyOf(secrets.SST_SECRET_BundleKey),
        bodyOf(secrets.SST_SECRET_LicenseKey),
        ...gitTokens,
      ])
        expect(readable).not.toContain(secret)
    })
  })

  test('production is served at the domain, another stage at its own subdomain or CloudFront’s domain', async () => {
    const { production, dev } = stages()
    expect(one(production, 'cloudfront/distribution', 'Router').inputs.aliases).toEqual(['docs.example.com'])
    expect(one(dev, 'cloudfront/distribution', 'Router').inputs.aliases).toEqual([])
    expect((await runRouter(production, '/mcp', { host: 'd1.cloudfront.net' })).status).toBe(403)
  })
}
