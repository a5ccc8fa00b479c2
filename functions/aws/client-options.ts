import { ConfiguredRetryStrategy } from '@smithy/core/retry'
import { NodeHttpHandler } from '@smithy/node-http-handler'

/** A caller waits for all three attempts of such a request. */
export const quickMs = 1_000
const pauseMs = 100
/** For uploads, and for services that need seconds. */
export const patientMs = 30_000

/**
 * The time limits of an AWS client, which has none by default: a service that accepts a connection and does not respond would hold a
 * function until its end.
 */
export const clientOptions = (requestTimeout = quickMs, maxAttempts = 3) => ({
  // The pauses of the SDK after throttling add up to seconds.
  ...(requestTimeout === quickMs && { retryStrategy: new ConfiguredRetryStrategy(maxAttempts, pauseMs) }),
  requestHandler: new NodeHttpHandler({ connectionTimeout: 1_000, requestTimeout, throwOnRequestTimeout: true }),
})
