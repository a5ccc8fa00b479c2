import { createSocket } from 'node:dgram'
import { connect as connectTcp, isIP, isIPv6, type Socket } from 'node:net'
import { connect as connectTls } from 'node:tls'
import { AppError } from '../../shared/errors.ts'
import { connectionError } from '../../shared/network/connections.ts'
import { addressAllowed, lookupAllowed } from '../../shared/network/metadata-address.ts'
import { type Network, trustedCertificates } from '../../shared/network/network.ts'
import { type SyslogTarget, syslogTarget } from '../../shared/settings/syslog-address.ts'
import type { AuditEntry } from '../accounts/audit-log.ts'

export type SyslogPorts = {
  network: Network
  /** The host name in the messages. */
  hostName: string
  sendMs: number
}

/** Facility 13, log audit. */
const facility = 13
const severities = { allowed: 6, refused: 4 }
const maxDatagramBytes = 32_000

/**
 * Sends entries as messages of RFC 5424 to an address such as `tls://logs.example.com:6514`. Over TCP and TLS each message follows its length in
 * bytes (RFC 6587), and the work is done when the collector has read them all and closed the connection. UDP confirms nothing.
 */
export async function sendSyslog(ports: SyslogPorts, address: string, entries: AuditEntry[], signal: AbortSignal): Promise<void> {
  const target = syslogTarget(address)
  const messages = entries.map((entry) => Buffer.from(syslogMessage(ports.hostName, entry)))
  const late = AbortSignal.timeout(ports.sendMs)
  const ended = AbortSignal.any([signal, late])
  try {
    if (target.protocol === 'udp') await sendDatagrams(target, messages, ended)
    else await sendStream(openSocket(ports, target), Buffer.concat(messages.flatMap(counted)), ended)
  } catch (error) {
    signal.throwIfAborted()
    const { host, port } = target
    if (late.aborted)
      throw new AppError('timeout', `${host}:${port} did not take the entries within ${Math.ceil(ports.sendMs / 1000)} s.`)
    throw connectionError(`${host}:${port}`, error)
  }
}

const counted = (message: Buffer): Buffer[] => [Buffer.from(`${message.length} `), message]

/** The message is JSON in ASCII, like a line of an export, so it needs no byte order mark. */
export function syslogMessage(hostName: string, entry: AuditEntry): string {
  const priority = facility * 8 + severities[entry.outcome]
  const id = entry.action.replaceAll(/[^\x21-\x7e]/g, '').slice(0, 32) || '-'
  const json = JSON.stringify(entry).replaceAll(/[\u007f-\uffff]/g, (c) => `\\u${c.charCodeAt(0).toString(16).padStart(4, '0')}`)
  return `<${priority}>1 ${entry.at} ${hostName} carrel - ${id} - ${json}`
}

function openSocket({ network }: SyslogPorts, { protocol, host, port }: SyslogTarget): Socket {
  const where = { host, port, lookup: lookupAllowed }
  if (protocol === 'tcp') return connectTcp(where)
  return connectTls({ ...where, ca: trustedCertificates(network), ...(isIP(host) === 0 && { servername: host }) })
}

/** The collector closes its side after it has read the end of ours, so nothing is lost in buffers of the two machines. */
const sendStream = (socket: Socket, bytes: Buffer, signal: AbortSignal): Promise<void> =>
  new Promise((resolve, reject) => {
    const abort = () => socket.destroy(new Error('aborted'))
    signal.addEventListener('abort', abort, { once: true })
    socket.on('error', reject)
    socket.on('close', () => {
      signal.removeEventListener('abort', abort)
      if (socket.writableFinished) resolve()
      else reject(new Error('the connection was closed early'))
    })
    socket.resume()
    socket.end(bytes)
    if (signal.aborted) abort()
  })

async function sendDatagrams({ host, port }: SyslogTarget, messages: Buffer[], signal: AbortSignal): Promise<void> {
  const { address } = await addressAllowed(host)
  const socket = createSocket(isIPv6(address) ? 'udp6' : 'udp4')
  try {
    for (const message of messages) {
      signal.throwIfAborted()
      await new Promise<void>((resolve, reject) => {
        socket.once('error', reject)
        socket.send(message.subarray(0, maxDatagramBytes), port, address, (error) => (error ? reject(error) : resolve()))
      })
    }
  } finally {
    socket.close()
  }
}
