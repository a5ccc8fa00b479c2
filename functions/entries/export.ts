import { Readable } from 'node:stream'
import type { ReadableStream as NodeReadableStream } from 'node:stream/web'
import middy from '@middy/core'
import { executionModeStreamifyResponse } from '@middy/core/StreamifyResponse'
import type { LambdaFunctionURLEvent } from 'aws-lambda'
import { loadLance } from '../../shared/store/load-lance.ts'
import { foreignRequests } from '../aws/foreign-requests.ts'
import { awsExport } from '../aws/stage-ports.ts'
import { withMetrics } from '../aws/with-metrics.ts'
import { createExport } from '../server.ts'

// While a function starts, it has more processor time than while a caller waits.
await loadLance()

const app = createExport(awsExport())

/** `POST /api/v1/enterprise/export`, streamed. An aborted response is never valid JSON. */
export const handler = middy<LambdaFunctionURLEvent>({ executionMode: executionModeStreamifyResponse })
  .use(withMetrics(() => ({ ForeignRequests: foreignRequests.take() })))
  .handler(async (event: LambdaFunctionURLEvent) => {
    const { status, headers, body } = await app.fetch(lambdaRequest(event), { event, requestContext: event.requestContext })
    return {
      statusCode: status,
      headers: Object.fromEntries(headers),
      body: body ? Readable.fromWeb(body as NodeReadableStream) : '',
    }
  })

/** The request in the event of a function URL. */
function lambdaRequest({
  requestContext,
  rawPath,
  rawQueryString,
  headers,
  body,
  isBase64Encoded,
}: LambdaFunctionURLEvent): Request {
  const query = rawQueryString === '' ? '' : `?${rawQueryString}`
  const sent = new Headers()
  for (const [name, value] of Object.entries(headers)) if (value !== undefined) sent.set(name, value)
  const { method } = requestContext.http
  const hasBody = body !== undefined && method !== 'GET' && method !== 'HEAD'
  return new Request(`https://${requestContext.domainName}${rawPath}${query}`, {
    method,
    headers: sent,
    ...(hasBody && { body: isBase64Encoded ? Buffer.from(body, 'base64') : body }),
  })
}
