import { z } from 'zod'
import { isLoopbackHost } from '../network/is-loopback-host.ts'
import { isMetadataHost } from '../network/metadata-address.ts'
import { isPrivateAddress } from '../network/private-address.ts'

/** The address of a service: https, or http on this machine. Trailing slashes are removed. */
export const BaseUrl = addressOf(isLoopbackHost, 'must start with https:// (http:// is allowed only for 127.0.0.1 and localhost)')

/** The address of a model: https, or http in a private network, because model servers rarely have a certificate there. */
export const ModelUrl = addressOf(
  isPrivateHost,
  'must start with https:// (http:// is allowed only for private addresses and names such as 10.0.0.5, ollama or models.internal)',
)

function isPrivateHost(host: string): boolean {
  if (isMetadataHost(host)) return false
  const isPrivateName = /^[a-z\d-]+$|\.(internal|local|lan|svc)$/.test(host)
  return isPrivateName || isPrivateAddress(host.replace(/^\[|\]$/g, ''))
}

function addressOf(mayBePlain: (host: string) => boolean, rule: string) {
  return z
    .string('must be a text')
    .trim()
    .max(500, 'must not be longer than 500 characters')
    .transform((text, context) => {
      const address = readAddress(text, mayBePlain, rule)
      if ('url' in address) return address.url
      context.addIssue({ code: 'custom', message: address.refused })
      return z.NEVER
    })
}

type Address = { url: string } | { refused: string }

function readAddress(text: string, mayBePlain: (host: string) => boolean, rule: string): Address {
  const url = URL.parse(text)
  if (url === null) return { refused: 'must be an address such as https://example.com' }
  if (url.username !== '' || url.password !== '') return { refused: 'must not contain a user name or password' }
  if (/[?#]/.test(text)) return { refused: 'must not contain a query or fragment' }
  if (url.hostname.endsWith('.')) return { refused: 'must not have a dot at the end of the host' }
  if (url.protocol === 'https:' || (url.protocol === 'http:' && mayBePlain(url.hostname))) {
    return { url: url.origin + url.pathname.replace(/\/+$/, '') }
  }
  return { refused: rule }
}
