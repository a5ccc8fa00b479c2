import { lookup } from 'node:dns'
import { BlockList, isIP, type LookupFunction } from 'node:net'
import { AppError } from '../errors.ts'
import { isPrivateAddress } from './private-address.ts'

/** Link-local addresses, and other addresses on which clouds serve the credentials of the machine. */
const blocked = new BlockList()
blocked.addSubnet('169.254.0.0', 16)
blocked.addAddress('100.100.100.200')
blocked.addSubnet('fe80::', 10, 'ipv6')
blocked.addAddress('fd00:ec2::254', 'ipv6')
blocked.addAddress('fd00:ec2::23', 'ipv6')
blocked.addAddress('fd20:ce::254', 'ipv6')

/** The names of those addresses. With a search domain, the first label is enough. */
const blockedName = /^(metadata|instance-data)(\.|$)/

/** True for a host (as in `URL.hostname`) on which clouds serve the credentials of the machine. */
export function isMetadataHost(host: string): boolean {
  const address = host.replace(/^\[|\]$/g, '')
  return isIP(address) === 0 ? blockedName.test(address.toLowerCase()) : isBlocked(address)
}

/** A DNS lookup that omits addresses. The connection uses its answer, so a later answer of the same name cannot replace it. */
const lookupWithout =
  (isRefused: (address: string) => boolean, refusal: (host: string) => AppError): LookupFunction =>
  (hostname, options, callback) => {
    lookup(hostname, { ...options, all: true }, (error, addresses) => {
      if (error) return callback(error, '')
      const allowed = addresses.filter(({ address }) => !isRefused(address))
      const [first] = allowed
      if (!first) return callback(refusal(hostname), '')
      if (options.all) return callback(null, allowed)
      callback(null, first.address, first.family)
    })
  }

const isBlocked = (address: string): boolean =>
  blocked.check(address.split('%', 1)[0] ?? '', isIP(address) === 6 ? 'ipv6' : 'ipv4')

const blockedError = (host: string): AppError =>
  new AppError(
    'validation_error',
    `${host} resolves to a link-local or metadata address, which may serve the credentials of this machine. Use another host.`,
  )

const privateError = (host: string): AppError =>
  new AppError('validation_error', `${host} resolves to a private address, which is never asked. Use a public host.`)

/** A DNS lookup for connections that omits those addresses. */
export const lookupAllowed = lookupWithout(isBlocked, blockedError)

/** An address of a host, for programs that connect by themselves. Throws validation_error if all are refused, provider_unavailable. */
export const addressAllowed = (host: string): Promise<{ address: string }> =>
  new Promise((resolve, reject) =>
    lookupAllowed(host, {}, (error, address) => {
      if (error instanceof AppError) reject(error)
      else if (error || typeof address !== 'string')
        reject(new AppError('provider_unavailable', `The name ${host} cannot be resolved.`, { cause: error, retry: 'once' }))
      else resolve({ address })
    }),
  )

/** `lookupAllowed` that omits private addresses, too. */
export const lookupPublic = lookupWithout((address) => isBlocked(address) || isPrivateAddress(address), privateError)
