import { createHmac } from 'node:crypto'
import { AppError } from '../../shared/errors.ts'
import { connectionError, openConnections } from '../../shared/network/connections.ts'
import type { Network } from '../../shared/network/network.ts'
import type { SettingsStore } from '../../shared/store/settings-store.ts'
import { unlessAborted } from '../../shared/time/unless-aborted.ts'
import { linesOf, type Message, type SendMessage, titleOf } from './message.ts'

export type WebhookPorts = { settings: Pick<SettingsStore, 'getSecret'>; network: Network; now(): Date; sendMs: number }

/** JSON with the events of a message. With a key, `X-Carrel-Signature` is `t=<seconds since 1970>,v1=<HMAC-SHA256 of "<t>.<body>" in hex>`. */
export const sendWebhook =
  (ports: WebhookPorts): SendMessage =>
  (message, signal) => {
    const body = JSON.stringify({ title: titleOf(message), ...bodyOf(message) })
    const key = ports.settings.getSecret('notifications.webhookKey')
    const url = ports.settings.getSecret('notifications.webhookUrl')
    return sendSigned(ports, { url, key, id: message.id }, body, signal)
  }

type Receiver = { url: string | undefined; key: string | undefined; id: string }

/** Posts JSON with the id of its delivery, and with a signature if there is a key. */
export function sendSigned(
  ports: Omit<WebhookPorts, 'settings'>,
  { url, key, id }: Receiver,
  body: string,
  signal: AbortSignal,
): Promise<void> {
  const headers = {
    'x-carrel-delivery': id,
    ...(key !== undefined && { 'x-carrel-signature': signatureOf(key, body, ports.now()) }),
  }
  return post(ports, url, body, headers, signal)
}

/** `{"text": …}`, which incoming webhooks of Slack, Mattermost and others read. */
export const sendSlack =
  (ports: WebhookPorts): SendMessage =>
  (message, signal) => {
    const text = [`*${escaped(titleOf(message))}*`, ...linesOf(message).map(escaped)].join('\n')
    return post(ports, ports.settings.getSecret('notifications.slackUrl'), JSON.stringify({ text }), {}, signal)
  }

const bodyOf = ({ id, createdAt, install, isTest, events }: Message) => ({ id, createdAt, install, test: isTest, events })

function signatureOf(key: string, body: string, now: Date): string {
  const time = Math.floor(now.getTime() / 1000)
  return `t=${time},v1=${createHmac('sha256', key).update(`${time}.${body}`).digest('hex')}`
}

/** Slack reads mentions and links between angle brackets. */
const escaped = (text: string): string => text.replaceAll('&', '&amp;').replaceAll('<', '&lt;').replaceAll('>', '&gt;')

/** Sends a request. Follows no redirects and reads no body. Errors name only the host, because the rest of the address may be a token. */
async function post(
  { network, sendMs }: Pick<WebhookPorts, 'network' | 'sendMs'>,
  url: string | undefined,
  body: string,
  headers: Record<string, string>,
  signal: AbortSignal,
): Promise<void> {
  if (url === undefined) throw new AppError('not_configured', 'The address of the webhook is not set.')
  const { host } = new URL(url)
  const late = AbortSignal.timeout(sendMs)
  const ended = AbortSignal.any([signal, late])
  const connections = await openConnections(network, sendMs)
  try {
    const sent = { 'content-type': 'application/json', 'user-agent': 'carrel', ...headers }
    const dispatcher = connections.dispatcherFor(url)
    const request = connections.request(url, { method: 'POST', headers: sent, body, signal: ended, dispatcher })
    // undici ignores the signal until it is connected.
    const answer = await unlessAborted(request, ended)
    answer.body.on('error', () => undefined).destroy()
    if (answer.statusCode >= 300) throw refused(host, answer.statusCode)
  } catch (error) {
    signal.throwIfAborted()
    if (late.aborted) throw new AppError('timeout', `${host} did not respond within ${Math.ceil(sendMs / 1000)} s.`)
    throw connectionError(host, error)
  } finally {
    connections.close()
  }
}

const refused = (host: string, status: number) =>
  new AppError(
    'provider_unavailable',
    status < 400
      ? `${host} redirects (${status}), which is not followed. Set the address that it redirects to.`
      : `${host} responded with status ${status}.`,
  )
