import { requestsPerAddress } from './limits.ts'
import { sentOriginSecret } from './secrets.ts'

/** The parts of a Router that are the same for every host of the stage. */

// The code of the function contains the secret, so it is encrypted in the state.
$transform(aws.cloudfront.Function, (args) => {
  args.code = $util.secret(args.code)
})

export const waf = {
  rateLimitPerIp: requestsPerAddress,
  // They reject questions that contain code.
  managedRules: { coreRuleSet: false, knownBadInputs: false, sqlInjection: false },
  logging: false as const,
}

/** The headers are assigned, not appended, so that headers of the caller with these names are overwritten. The address has no port. */
export const ownHeaders = $interpolate`event.request.headers["x-origin-secret"] = { value: "${sentOriginSecret}" };
event.request.headers["x-viewer-address"] = { value: event.viewer.ip };`

/** Every error that CloudFront caches. Without a setting it caches some of them for ten seconds, whatever their Cache-Control says. */
const errorCodes = [400, 403, 404, 405, 414, 416, 500, 501, 502, 503, 504]
export const customErrorResponses = errorCodes.map((errorCode) => ({ errorCode, errorCachingMinTtl: 0 }))

/** The origin of requests without a route. SST's placeholder is a third-party host over plain HTTP. */
export const defaultOrigin = (url: $util.Output<string>) => ({
  originId: 'default',
  domainName: url.apply((address) => new URL(address).host),
  customOriginConfig: {
    httpPort: 80,
    httpsPort: 443,
    originProtocolPolicy: 'https-only',
    originSslProtocols: ['TLSv1.2'],
  },
})

type Acl = Pick<aws.wafv2.WebAclArgs, 'visibilityConfig' | 'rules'>

/** Samples contain questions and addresses. */
export function takeNoSamples(args: Acl): undefined {
  const unsampled = <T extends object>(config: T) => ({ ...config, sampledRequestsEnabled: false })
  args.visibilityConfig = $output(args.visibilityConfig).apply(unsampled)
  args.rules = $output(args.rules).apply((rules = []) =>
    rules.map((rule) => ({ ...rule, visibilityConfig: unsampled(rule.visibilityConfig) })),
  )
}
