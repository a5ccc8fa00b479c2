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

/** Every route except the export. */
export const handler = middy<APIGatewayProxyEventV2>()
  .use(answers)
  .handler(handle(createApi(awsHosted())) as never)
