import { execFileSync } from 'node:child_process'
import { router as apiRouter, apiUrl } from './api.ts'
import { issuerFor } from './auth.ts'
import { bundle } from './bundle.ts'
import { items, nameOf, putObjects, readObjects, under } from './grants.ts'
import { jobs } from './jobs.ts'
import { lambda, oneProcessor } from './lambda.ts'
import { requestLimitsVariable } from './limits.ts'
import { mailVariable, sendMail } from './mail.ts'
import { customErrorResponses, defaultOrigin, ownHeaders, takeNoSamples, waf } from './router-parts.ts'
import { licenseKey, originSecret } from './secrets.ts'
import { domain, gitHosts } from './stage.ts'
import { content, exported, salts, table } from './storage.ts'
import { decryptTokens, encryptTokens, tokenKey } from './token-key.ts'
import { usage } from './usage.ts'

// The function contains the pages that this builds.
execFileSync('sh', ['shared/web/build/build-if-stale.sh', 'functions'], { stdio: 'inherit' })

/** AWS's own policy that caches nothing, so that CloudFront does not answer two equal requests with one response either. */
const cachingDisabled = '4135ea2d-6df8-44a3-9df3-4b5a84be39ad'

/** The host of the dashboard. The cookies of its sessions reach no other one. */
export const dashboardRouter = new sst.aws.Router('DashboardRouter', {
  domain: domain ? `app.${domain}` : undefined,
  waf,
  edge: { viewerRequest: { injection: ownHeaders } },
  transform: {
    cdn: (args) => {
      args.origins = [defaultOrigin(apiUrl)]
      args.customErrorResponses = customErrorResponses
      args.defaultCacheBehavior = $output(args.defaultCacheBehavior).apply((behavior) => ({
        ...behavior,
        viewerProtocolPolicy: 'https-only',
        cachePolicyId: cachingDisabled,
      }))
    },
    waf: takeNoSamples,
  },
})

const signIn = new sst.Linkable('SignIn', {
  properties: {
    ...issuerFor($interpolate`${dashboardRouter.url}/auth/callback`),
    url: dashboardRouter.url,
    serviceUrl: apiRouter.url,
  },
})

export const dashboard = lambda('Dashboard', {
  handler: 'functions/entries/dashboard.handler',
  lance: true,
  copyFiles: [
    { from: 'shared/search/words/data', to: 'data' },
    { from: 'shared/screening/data', to: 'data' },
    { from: 'functions/web/dist', to: 'web' },
  ],
  memory: oneProcessor,
  storage: '1 GB',
  timeout: '29 seconds',
  url: { cors: false, router: { instance: dashboardRouter, path: '/', readTimeout: '30 seconds' } },
  environment: { ...gitHosts, ...requestLimitsVariable, ...mailVariable },
  link: [
    nameOf(table),
    nameOf(salts),
    nameOf(content),
    nameOf(exported),
    nameOf(bundle),
    nameOf(usage),
    nameOf(jobs),
    originSecret,
    licenseKey,
    signIn,
    tokenKey,
  ],
  permissions: [
    under(['USER#'], items(table, 'GetItem', 'BatchGetItem', 'PutItem', 'UpdateItem', 'DeleteItem', 'Query')),
    under(['EMAIL#', 'TEAMNAME#', 'SESSION#'], items(table, 'GetItem', 'PutItem', 'DeleteItem')),
    // The day of a session's last use.
    under(['SESSION#'], items(table, 'UpdateItem')),
    under(['FLOW#'], items(table, 'PutItem', 'DeleteItem')),
    under(['TEAM#'], items(table, 'GetItem', 'BatchGetItem', 'Query', 'PutItem', 'UpdateItem', 'DeleteItem')),
    under(['KEY#'], items(table, 'BatchGetItem', 'PutItem', 'UpdateItem', 'DeleteItem')),
    under(['CLAIM#'], items(table, 'GetItem', 'UpdateItem', 'DeleteItem')),
    under(['LIMIT#'], items(table, 'GetItem', 'UpdateItem')),
    under(['PLANREQUESTS'], items(table, 'GetItem', 'PutItem')),
    under(['CATALOG#'], items(table, 'GetItem', 'BatchGetItem', 'PutItem', 'DeleteItem')),
    under(['DETAILS#'], items(table, 'GetItem', 'BatchGetItem', 'Query', 'DeleteItem')),
    under(['GENERATIONS'], items(table, 'PutItem')),
    under(['JOBS'], items(table, 'GetItem', 'Query', 'PutItem')),
    // The checks of libraries, which a new schedule plans again.
    under(['CHECK#'], items(table, 'GetItem', 'BatchGetItem', 'UpdateItem')),
    under(['DUECHECKS'], items(table, 'PutItem')),
    under(['OPTOUTS'], items(table, 'GetItem', 'Query', 'PutItem', 'DeleteItem')),
    under(['BUNDLE#'], items(table, 'GetItem', 'PutItem')),
    { actions: ['lambda:InvokeFunction'], resources: [bundle.arn] },
    // The address of a zip has the rights of the function that signed it.
    { actions: ['s3:GetObject'], resources: [$interpolate`${exported.arn}/bundles/*`] },
    under(['LIB#'], items(table, 'BatchGetItem', 'Query', 'DeleteItem')),
    under(['SNAPSHOT'], items(table, 'GetItem', 'Query', 'PutItem', 'UpdateItem', 'DeleteItem')),
    // A teamspace is deleted with its licenses and their policies.
    under(['REVOKED#'], items(table, 'GetItem', 'UpdateItem')),
    under(['LICENSE#'], items(table, 'GetItem', 'DeleteItem')),
    under(['POLICY#'], items(table, 'GetItem', 'Query', 'PutItem', 'DeleteItem')),
    encryptTokens,
    // Checks that a private library exists.
    decryptTokens,
    items(salts, 'GetItem', 'PutItem'),
    ...readObjects(content),
    // The list of libraries, and the acts that a restore must not undo.
    putObjects(content, 'catalog/'),
    putObjects(content, 'journal/'),
    // API descriptions of members.
    putObjects(content, 'uploads/'),
    { actions: ['kinesis:PutRecord', 'kinesis:ListShards'], resources: [usage.arn] },
    { actions: ['sqs:SendMessage'], resources: [jobs.arn] },
    ...sendMail,
  ],
})
