import { Readable } from 'node:stream'
import type { ReadableStream as NodeReadableStream } from 'node:stream/web'
import middy from '@middy/core'
import { executionModeStreamifyResponse } from '@middy/core/StreamifyResponse'
import type { LambdaFunctionURLEvent } from 'aws-lambda'
import { lambdaRequest } from '../aws/lambda-request.ts'
import { awsExport } from '../aws/stage-ports.ts'
import { traced } from '../aws/with-metrics.ts'
import { createExport } from '../server.ts'

const app = createExport(awsExport())

/** `POST /api/v1/enterprise/export`, streamed. An aborted response is never valid JSON. */
export const handler = middy<LambdaFunctionURLEvent>({ executionMode: executionModeStreamifyResponse })
  .use(traced())
  .handler(async (event: LambdaFunctionURLEvent) => {
    const { status, headers, body } = await app.fetch(lambdaRequest(event), { event, requestContext: event.requestContext })
    return {
      statusCode: status,
      headers: Object.fromEntries(headers),
      body: body ? Readable.fromWeb(body as NodeReadableStream) : '',
    }
  })
