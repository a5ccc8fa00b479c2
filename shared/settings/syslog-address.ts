import { z } from 'zod'
import { isMetadataHost } from '../network/metadata-address.ts'
import { isPrivateHost } from '../schemas/base-url.ts'

const defaultPorts = { tls: 6514, tcp: 601, udp: 514 }

export type SyslogTarget = { protocol: keyof typeof defaultPorts; host: string; port: number }

const rule = 'must be an address such as tls://logs.example.com:6514'
const plainRule = 'must start with tls:// (tcp:// and udp:// are allowed only for private addresses and names such as 10.0.0.5)'

/** The address of a collector of syslog messages. */
export const SyslogAddress = z
  .string(rule)
  .trim()
  .max(300, rule)
  .regex(/^[\x21-\x7e]+$/, rule)
  .transform((text, context) => {
    const problem = addressProblem(text)
    if (problem === undefined) return text
    context.addIssue({ code: 'custom', message: problem })
    return z.NEVER
  })

function addressProblem(text: string): string | undefined {
  const url = URL.parse(text)
  if (url === null || !/^(tls|tcp|udp):\/\/[^/?#@]+\/?$/i.test(text) || url.hostname === '') return rule
  const { protocol, host } = syslogTarget(text)
  if (isMetadataHost(host)) return 'must not be a link-local or metadata address'
  return protocol === 'tls' || isPrivateHost(host) ? undefined : plainRule
}

/** Reads an address that the schema has accepted. */
export function syslogTarget(address: string): SyslogTarget {
  const url = new URL(address)
  const protocol = url.protocol.slice(0, -1) as SyslogTarget['protocol']
  return { protocol, host: url.hostname.toLowerCase().replace(/^\[|\]$/g, ''), port: Number(url.port) || defaultPorts[protocol] }
}
