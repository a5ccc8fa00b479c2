import { z } from 'zod'
import { isMetadataHost } from '../network/metadata-address.ts'
import { isLoopbackHost, isPrivateAddress } from '../network/private-address.ts'
import { withoutEnding } from '../text/without-ending.ts'

/** The address of a service: https, or http on this machine. Trailing slashes are removed. */
export const BaseUrl = addressOf({
  mayBePlain: isLoopbackHost,
  rule: 'must start with https:// (http:// is allowed only for 127.0.0.1 and localhost)',
})

/**
 * The address of a model: https, or http in a private network, because model servers rarely have a certificate there. The address of a single
 * route (`/v1/embeddings`) means that of the API.
 */
export const ModelUrl = addressOf({
  mayBePlain: isPrivateHost,
  rule: 'must start with https:// (http:// is allowed only for private addresses and names such as 10.0.0.5, ollama or models.internal)',
  withoutRoute: (path) => path.replace(/(\/v\d\w*|\/openai)\/(?:embeddings|chat\/completions|messages)$/, '$1'),
  adviceForQuery: ({ origin, searchParams }) =>
    searchParams.has('api-version')
      ? `; for Azure OpenAI use ${origin}/openai/v1 and the name of the deployment as the model`
      : '',
})

/** True for a host in a private network, to which connections need no encryption: its address, or a name that is not public. */
export function isPrivateHost(host: string): boolean {
  if (isMetadataHost(host)) return false
  const isPrivateName = /^[a-z\d-]+$|\.(internal|local|lan|svc)$/.test(host)
  return isPrivateName || isPrivateAddress(host.replace(/^\[|\]$/g, ''))
}

type AddressRules = {
  /** True if http is allowed. */
  mayBePlain(host: string): boolean
  rule: string
  withoutRoute?(path: string): string
  adviceForQuery?(url: Pick<URL, 'origin' | 'searchParams'>): string
}

function addressOf(rules: AddressRules) {
  return z
    .string('must be a text')
    .trim()
    .max(500, 'must not be longer than 500 characters')
    .transform((text, context) => {
      const address = readAddress(text, rules)
      if ('url' in address) return address.url
      context.addIssue({ code: 'custom', message: address.refused })
      return z.NEVER
    })
}

type Address = { url: string } | { refused: string }

function readAddress(
  text: string,
  { mayBePlain, rule, withoutRoute = (path) => path, adviceForQuery = () => '' }: AddressRules,
): Address {
  const url = URL.parse(text)
  if (url === null) return { refused: 'must be an address such as https://example.com' }
  if (url.username !== '' || url.password !== '') return { refused: 'must not contain a user name or password' }
  if (/[?#]/.test(text)) return { refused: `must not contain a query or fragment${adviceForQuery(url)}` }
  if (url.hostname.endsWith('.')) return { refused: 'must not have a dot at the end of the host' }
  if (url.protocol === 'https:' || (url.protocol === 'http:' && mayBePlain(url.hostname))) {
    return { url: url.origin + withoutRoute(withoutEnding(url.pathname, '/')) }
  }
  return { refused: rule }
}
