import { randomBytes, randomUUID } from 'node:crypto'
import { once } from 'node:events'
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'
import { gatewayEvent } from '../fixtures/lambda-events.ts'
import type { RunningLambda } from './start-lambda.ts'

type Functions = { api(): Promise<RunningLambda>; exporter(): Promise<RunningLambda> }
type GatewayResult = { statusCode: number; headers?: Record<string, string>; body?: string; isBase64Encoded?: boolean }

const exportPath = '/api/v1/enterprise/export'

/** A server that passes requests on as CloudFront does with API Gateway and the function URL of the export. */
export async function emulateRouter({ api, exporter }: Functions): Promise<{ url: string; close(): void }> {
  const answer = async (request: IncomingMessage, response: ServerResponse) => {
    const event = await eventOf(request)
    if (event.rawPath.startsWith(exportPath)) {
      const { statusCode, headers, body } = await (await exporter()).stream(event)
      response.writeHead(statusCode, headers).end(body)
      return
    }
    const { statusCode, headers, body = '', isBase64Encoded } = await (await api()).invoke<GatewayResult>(event)
    response
      .writeHead(statusCode, { ...headers, 'apigw-requestid': event.requestContext.requestId })
      .end(isBase64Encoded ? Buffer.from(body, 'base64') : body)
  }
  const server = createServer((request, response) => {
    // The status with which API Gateway reports an invocation error.
    void answer(request, response).catch((error: unknown) => response.writeHead(502).end(String(error)))
  })
  await once(server.listen(0, '127.0.0.1'), 'listening')
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    close() {
      server.closeAllConnections()
      server.close()
    },
  }
}

async function eventOf(request: IncomingMessage) {
  const { method = '', url = '', headers } = request
  const body = Buffer.concat(await request.toArray()).toString()
  const sent = Object.entries(headers).map(([name, value]) => [name, String(value)])
  const ofRouter = {
    'x-viewer-address': '192.0.2.1',
    'x-forwarded-host': 'docs.example.com',
    'x-amz-cf-id': `edge-${randomUUID()}==`,
  }
  const event = gatewayEvent(method, url, { ...Object.fromEntries(sent), ...ofRouter })
  event.requestContext.requestId = randomBytes(11).toString('base64url')
  return body === '' ? event : { ...event, body }
}
