import { AppError } from '../errors.ts'
import { anyHost, hostName } from './allowed-host.ts'
import { isMetadataHost } from './metadata-address.ts'
import { isPrivateAddress } from './private-address.ts'

/** A host without a port is allowed with the usual ports of http and https. */
function isAllowedHost({ hostname, port, host }: Pick<URL, 'hostname' | 'port' | 'host'>, allowed: readonly string[]): boolean {
  return allowed.some((each) => {
    if (each === anyHost) return port === '' && hostname.includes('.')
    const name = hostName(each)
    if (name !== each ? host.slice(hostname.length) !== each.slice(name.length) : port !== '') return false
    return name.startsWith('*.') ? hostname.endsWith(name.slice(1)) : hostname === name
  })
}

/** The hosts that the settings list, and whether a listed one may have a private address. */
export type HostRules = {
  allowedHosts(): readonly string[]
  mayBePrivate: boolean
  /** True if the network of the workers passes nothing else. */
  httpsOnly?: boolean
  /** The advice about a host that is not listed; by default, to ask an admin to list it. */
  unlisted?: string
}

const adminLists = 'An admin can add it to the setting sources.allowedHosts.'
/** The advice of a service, whose members cannot change its settings. */
export const operatorChooses = 'The operator of the service chooses these hosts.'

/**
 * The address of a page, without its fragment. Throws validation_error with what to do if it is none of http or https, holds a password, or
 * belongs to a host that may not be asked.
 */
export function allowedUrl(text: string, { allowedHosts, mayBePrivate, httpsOnly, unlisted = adminLists }: HostRules): URL {
  const url = URL.parse(text.trim())
  const protocols = httpsOnly ? ['https:'] : ['https:', 'http:']
  if (url === null || !protocols.includes(url.protocol)) {
    const allowed = protocols.map((protocol) => `${protocol}//`).join(' or ')
    throw new AppError('validation_error', `The address must begin with ${allowed}, such as https://docs.example.com/.`)
  }
  if (url.username !== '' || url.password !== '')
    throw new AppError('validation_error', 'The address holds a user name or password. Send it without them.')
  const address = url.hostname.replace(/^\[|\]$/g, '')
  if (isMetadataHost(url.hostname) || (!mayBePrivate && isPrivateAddress(address)))
    throw new AppError(
      'validation_error',
      `${url.host} is an address that is never asked. Send the address of a documentation site.`,
    )
  if (!isAllowedHost(url, allowedHosts()))
    throw new AppError('validation_error', `${url.host} is not among the hosts that documentation may be read from. ${unlisted}`)
  url.hash = ''
  return url
}
