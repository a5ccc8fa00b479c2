import middy from '@middy/core'
import type { APIGatewayProxyEventV2 } from 'aws-lambda'
import { handle } from 'hono/aws-lambda'
import { awsHosted } from '../aws/stage-ports.ts'
import { withMetrics } from '../aws/with-metrics.ts'
import { createApi } from '../server.ts'

const answers = withMetrics((_event: APIGatewayProxyEventV2, { statusCode }: { statusCode: number }) => ({
  [`Answers${Math.floor(statusCode / 100)}xx`]: 1,
}))

/** Every route except the export. */
export const handler = middy<APIGatewayProxyEventV2>()
  .use(answers)
  .handler(handle(createApi(awsHosted())) as never)
