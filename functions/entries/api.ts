import middy from '@middy/core'
import type { APIGatewayProxyEventV2 } from 'aws-lambda'
import { handle } from 'hono/aws-lambda'
import { loadLance } from '../../shared/store/load-lance.ts'
import { foreignRequests } from '../aws/foreign-requests.ts'
import { awsHosted } from '../aws/stage-ports.ts'
import { withMetrics } from '../aws/with-metrics.ts'
import { createApi } from '../server.ts'

// While a function starts, it has more processor time than while a caller waits.
await loadLance()

const answers = withMetrics((_event: APIGatewayProxyEventV2, { statusCode }: { statusCode: number } = { statusCode: 500 }) => ({
  ...(!foreignRequests.wasLatest() && { [`Answers${Math.floor(statusCode / 100)}xx`]: 1 }),
  ForeignRequests: foreignRequests.take(),
}))

/** The last resort, for work that no other time limit ends. Without it, API Gateway would send an error of its own. */
const timedOut = {
  statusCode: 504,
  headers: { 'content-type': 'application/json', 'cache-control': 'private, no-store', 'access-control-allow-origin': '*' },
  body: JSON.stringify({ error: 'timeout', message: 'The service did not finish in time. Try again in a few seconds.' }),
}

/** Every route except the export. */
export const handler = middy<APIGatewayProxyEventV2>({
  timeoutEarlyInMillis: 1_500,
  timeoutEarlyResponse: () => timedOut,
})
  .use(answers)
  .handler(handle(createApi(awsHosted())) as never)
