import { once } from 'node:events'
import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'
import { afterEach, beforeEach, describe, expect, test, vi } from 'vitest'
import { sesClient, sesMail } from '../../../functions/aws/ses-mail.ts'

const from = 'carrel@example.com'
const message = { to: 'ann@example.org', subject: 'An invitation', text: 'Grüße\nhttps://app.example.com/invites/the-token\n' }

describe('a message on AWS', () => {
  let server: Server
  let requests: { path: string | undefined; body: unknown }[]
  let answer: (request: IncomingMessage, response: ServerResponse) => void
  beforeEach(async () => {
    requests = []
    answer = (_request, response) => response.end('{"MessageId":"1"}')
    server = createServer(async (request, response) => {
      requests.push({ path: request.url, body: JSON.parse(Buffer.concat(await request.toArray()).toString()) })
      answer(request, response)
    })
    await once(server.listen(0, '127.0.0.1'), 'listening')
    vi.stubEnv('AWS_ENDPOINT_URL_SESV2', `http://127.0.0.1:${(server.address() as AddressInfo).port}`)
    for (const name of ['AWS_ACCESS_KEY_ID', 'AWS_SECRET_ACCESS_KEY']) vi.stubEnv(name, 'test')
    vi.stubEnv('AWS_REGION', 'us-east-1')
  })
  afterEach(() => {
    vi.unstubAllEnvs()
    server.closeAllConnections()
    server.close()
  })

  const refuse = (status: number, type: string) => {
    answer = (_request, response) =>
      response
        .writeHead(status, { 'content-type': 'application/json', 'x-amzn-errortype': type })
        .end(JSON.stringify({ message: `Email address is not verified: ${message.to}` }))
  }

  test('is sent as plain text, from the address of the stage', async () => {
    await sesMail({ client: sesClient(), from }).send(message)
    expect(requests).toEqual([
      {
        path: '/v2/email/outbound-emails',
        body: {
          FromEmailAddress: from,
          Destination: { ToAddresses: [message.to] },
          Content: {
            Simple: {
              Subject: { Data: message.subject, Charset: 'UTF-8' },
              Body: { Text: { Data: message.text, Charset: 'UTF-8' } },
            },
          },
        },
      },
    ])
  })

  test.each([
    ['a second header in the address', { to: 'ann@example.org\r\nBcc: eve@example.org' }],
    ['a second address', { to: 'ann@example.org, eve@example.org' }],
    ['a second header in the subject', { subject: 'Hi\nBcc: eve@example.org' }],
  ])('is not sent with %s', async (_what, part) => {
    await expect(sesMail({ client: sesClient(), from }).send({ ...message, ...part })).rejects.toThrow('would begin another one')
    expect(requests).toEqual([])
  })

  test('fails once if SES rejects it, with an error that names neither addressee nor link', async () => {
    refuse(400, 'MessageRejected')
    const error = await sesMail({ client: sesClient(), from })
      .send(message)
      .then(
        () => undefined,
        (error) => error,
      )
    expect([error.message, error.cause]).toEqual(['SES did not take a message: MessageRejected.', undefined])
    expect(requests).toHaveLength(1)
  })

  test('is tried twice when SES is overloaded', async () => {
    refuse(429, 'TooManyRequestsException')
    await expect(sesMail({ client: sesClient(), from }).send(message)).rejects.toThrow('TooManyRequestsException')
    expect(requests).toHaveLength(2)
  })

  test('fails after the time limit if SES does not respond', async () => {
    answer = () => {}
    await expect(sesMail({ client: sesClient(50), from }).send(message)).rejects.toThrow('TimeoutError')
    expect(requests).toHaveLength(2)
  })
})
