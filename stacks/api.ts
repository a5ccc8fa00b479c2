import { execFileSync } from 'node:child_process'
import { apiService } from './api-service.ts'
import { bundle } from './bundle.ts'
import { items, nameOf, putObjects, readObjects, under } from './grants.ts'
import { jobs } from './jobs.ts'
import { lambda, oneProcessor } from './lambda.ts'
import { requestLimitsVariable, requestsPerSecond } from './limits.ts'
import { oneKey } from './one-key.ts'
import { maxCachedSeconds, pageFiles } from './pages.ts'
import { customErrorResponses, defaultOrigin, ownHeaders, takeNoSamples, waf } from './router-parts.ts'
import { licenseKey, originSecret } from './secrets.ts'
import { apiCompute, domain, gitHosts, logDays } from './stage.ts'
import { content, exported, salts, table } from './storage.ts'
import { decryptTokens, tokenKey } from './token-key.ts'
import { usage } from './usage.ts'

// The function contains one of the files that this builds: the setup of AI clients.
execFileSync('sh', ['shared/web/build/build-if-stale.sh', 'onprem'], { stdio: 'inherit' })

const exportPath = '/api/v1/enterprise/export'

/** What the API may use, whether a function or a service runs it. */
const parts = {
  environment: { ...gitHosts, ...requestLimitsVariable },
  link: [nameOf(table), nameOf(salts), nameOf(content), nameOf(usage), nameOf(jobs), tokenKey],
  secrets: { OriginSecret: originSecret, LicenseKey: licenseKey },
  permissions: [
    under(['CATALOG#', 'JOBS', 'POLICY#'], items(table, 'GetItem', 'PutItem')),
    // The policy and the rules of a teamspace.
    under(['POLICY#'], items(table, 'Query')),
    // Rules of versions, and when a library was checked.
    under(['DETAILS#', 'CHECK#'], items(table, 'GetItem')),
    // The day of a key's last use.
    under(['KEY#'], items(table, 'GetItem', 'UpdateItem')),
    under(['REVOKED#', 'OPTOUTS'], items(table, 'GetItem')),
    under(['LICENSE_KEYS'], items(table, 'Query')),
    under(['LIB#'], items(table, 'BatchGetItem', 'Query')),
    // Notes that a library was added; a worker or the schedule publishes the snapshot.
    under(['SNAPSHOT'], items(table, 'GetItem', 'UpdateItem')),
    // Counts of requests, whose limits depend on the plan of the teamspace.
    under(['LIMIT#'], items(table, 'UpdateItem')),
    under(['TAKEDOWNS'], items(table, 'PutItem')),
    // The policy of a teamspace, and the libraries that it owns since it added them.
    under(['TEAM#'], items(table, 'GetItem', 'BatchGetItem', 'PutItem')),
    // Checks that a private library exists.
    decryptTokens,
    items(salts, 'GetItem', 'PutItem'),
    ...readObjects(content),
    putObjects(content, 'uploads/'),
    { actions: ['kinesis:PutRecord', 'kinesis:ListShards'], resources: [usage.arn] },
    { actions: ['sqs:SendMessage'], resources: [jobs.arn] },
  ],
}

/** The fields of API Gateway's access log: no address, no user agent, no query string. */
const accessLog = {
  requestId: '$context.requestId',
  requestTime: '$context.requestTime',
  method: '$context.httpMethod',
  path: '$context.path',
  status: '$context.status',
  responseBytes: '$context.responseLength',
  latencyMs: '$context.responseLatency',
  functionMs: '$context.integrationLatency',
  error: '$context.error.responseType',
}

/** The API as a function behind API Gateway. */
function apiLambda() {
  const { secrets, ...others } = parts
  const api = lambda('Api', {
    ...others,
    handler: 'functions/entries/api.handler',
    lance: true,
    // Next to the bundle, which SST puts at the root of the zip.
    copyFiles: [
      { from: 'shared/search/words/data', to: 'data' },
      { from: 'shared/screening/data', to: 'data' },
      { from: 'onprem/web/dist/cli.mjs', to: 'cli.mjs' },
      ...pageFiles,
    ],
    memory: oneProcessor,
    // Copies of some three hundred libraries, so that their questions read nothing from S3.
    storage: '4 GB',
    // One second less than API Gateway's limit, so that the function sends the error response.
    timeout: '29 seconds',
    link: [...parts.link, ...Object.values(secrets)],
  })
  const gateway = new sst.aws.ApiGatewayV2('Gateway', {
    cors: false,
    accessLog: { retention: logDays === 30 ? '1 month' : '1 week' },
    transform: {
      stage: (args) => {
        args.defaultRouteSettings = { throttlingRateLimit: requestsPerSecond, throttlingBurstLimit: 2 * requestsPerSecond }
        args.accessLogSettings = $output(args.accessLogSettings).apply((settings) => ({
          destinationArn: settings?.destinationArn ?? '',
          format: JSON.stringify(accessLog),
        }))
      },
    },
  })
  gateway.route('$default', api.arn)
  return { api, gateway, url: gateway.url, service: undefined }
}

function apiAsService() {
  const service = apiService(parts)
  return { service, url: service.url, api: undefined, gateway: undefined }
}

/** The API: `api` behind `gateway`, or `service`, as API_COMPUTE says. */
const compute = apiCompute === 'service' ? apiAsService() : apiLambda()
const { url } = compute
export const { api, gateway, service } = compute

/** The address of the API behind the Router. */
export const apiUrl = url

export const router = new sst.aws.Router('Router', {
  domain: domain || undefined,
  waf,
  edge: {
    viewerRequest: {
      injection: $interpolate`${ownHeaders}${oneKey}`,
    },
  },
  transform: {
    cdn: (args) => {
      args.origins = [defaultOrigin(url)]
      args.customErrorResponses = customErrorResponses
      args.defaultCacheBehavior = $output(args.defaultCacheBehavior).apply((behavior) => ({
        ...behavior,
        viewerProtocolPolicy: 'https-only',
      }))
    },
    waf: takeNoSamples,
    cachePolicy: {
      comment: 'Only these values reach the functions; responses are shared only if all of them are equal',
      // The API forbids caching, because its responses depend on the caller and every request is counted. Public pages allow it.
      maxTtl: maxCachedSeconds,
      parametersInCacheKeyAndForwardedToOrigin: {
        cookiesConfig: { cookieBehavior: 'none' },
        headersConfig: {
          headerBehavior: 'whitelist',
          headers: { items: ['Authorization', 'CloudFront-Viewer-Country', 'x-forwarded-host'] },
        },
        queryStringsConfig: { queryStringBehavior: 'all' },
        enableAcceptEncodingBrotli: true,
        enableAcceptEncodingGzip: true,
      },
    },
  },
})

router.route('/', url, { readTimeout: '30 seconds' })

/** A separate function, because it streams: API Gateway does not, and a buffered response has at most 6 MB. */
export const exporter = lambda('Export', {
  handler: 'functions/entries/export.handler',
  lance: true,
  copyFiles: [{ from: 'shared/screening/data', to: 'data' }],
  streaming: true,
  memory: oneProcessor,
  // 200 MB take 97 seconds: AWS streams 2 MB/s after the first 6 MB.
  timeout: '5 minutes',
  url: { cors: false, router: { instance: router, path: exportPath, readTimeout: '60 seconds' } },
  environment: gitHosts,
  link: [nameOf(table), nameOf(content), nameOf(exported), nameOf(bundle), originSecret, licenseKey],
  permissions: [
    under(['CATALOG#', 'DETAILS#', 'REVOKED#'], items(table, 'GetItem')),
    under(['KEY#'], items(table, 'GetItem', 'UpdateItem')),
    // The key of a member is valid only with the membership.
    under(['TEAM#'], items(table, 'BatchGetItem')),
    // Exports above 200 MB are built in the background, and downloaded from the bucket.
    under(['BUNDLE#'], items(table, 'GetItem', 'PutItem')),
    { actions: ['lambda:InvokeFunction'], resources: [bundle.arn] },
    under(['LICENSE_KEYS'], items(table, 'Query')),
    ...readObjects(content),
    ...readObjects(exported, 'exports/'),
    putObjects(exported, 'exports/'),
  ],
})
