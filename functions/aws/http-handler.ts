import middy from '@middy/core'
import type { APIGatewayProxyEventV2 } from 'aws-lambda'
import type { Hono } from 'hono'
import { handle } from 'hono/aws-lambda'
import { foreignRequests } from './foreign-requests.ts'
import { withMetrics } from './with-metrics.ts'

const answers = withMetrics((_event: APIGatewayProxyEventV2, { statusCode }: { statusCode: number } = { statusCode: 500 }) => ({
  ...(!foreignRequests.wasLatest() && { [`Answers${Math.floor(statusCode / 100)}xx`]: 1 }),
  ForeignRequests: foreignRequests.take(),
}))

/** The last resort, for work that no other time limit ends. Without it, AWS would send an error of its own. */
const timedOut = {
  statusCode: 504,
  headers: { 'content-type': 'application/json', 'cache-control': 'private, no-store' },
  body: JSON.stringify({ error: 'timeout', message: 'The service did not finish in time. Try again in a few seconds.' }),
}

/** A function that serves an app; `headers` are those of a response to a request that takes too long. */
// biome-ignore lint/suspicious/noExplicitAny: an app of any environment
export const httpHandler = (app: Hono<any, any, any>, headers: Record<string, string> = {}) =>
  middy<APIGatewayProxyEventV2>({
    timeoutEarlyInMillis: 1_500,
    timeoutEarlyResponse: () => ({ ...timedOut, headers: { ...timedOut.headers, ...headers } }),
  })
    .use(answers)
    .handler(handle(app) as never)
