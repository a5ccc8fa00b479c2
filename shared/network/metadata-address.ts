import { lookup } from 'node:dns'
import { BlockList, isIP, type LookupFunction } from 'node:net'
import { AppError } from '../errors.ts'

/** Link-local addresses and the others on which clouds serve the credentials of the machine. */
const blocked = new BlockList()
blocked.addSubnet('169.254.0.0', 16)
blocked.addAddress('100.100.100.200')
blocked.addSubnet('fe80::', 10, 'ipv6')
blocked.addAddress('fd00:ec2::254', 'ipv6')
blocked.addAddress('fd20:ce::254', 'ipv6')

/** The names that clouds give to those addresses; a search domain makes the first label enough. */
const blockedName = /^(metadata|instance-data)(\.|$)/

/** Whether a host, as `URL.hostname` spells it, is where clouds serve the credentials of the machine. */
export function isMetadataHost(host: string): boolean {
  const address = host.replace(/^\[|\]$/g, '')
  return isIP(address) === 0 ? blockedName.test(address.toLowerCase()) : isBlocked(address)
}

/** Resolves names for connections, except to those addresses. */
export const lookupAllowed: LookupFunction = (hostname, options, callback) => {
  lookup(hostname, { ...options, all: true }, (error, found) => {
    if (error) return callback(error, '')
    const allowed = found.filter(({ address }) => !isBlocked(address))
    const [first] = allowed
    if (!first) return callback(blockedError(hostname), '')
    if (options.all) return callback(null, allowed)
    callback(null, first.address, first.family)
  })
}

const isBlocked = (address: string): boolean =>
  blocked.check(address.split('%', 1)[0] ?? '', isIP(address) === 6 ? 'ipv6' : 'ipv4')

const blockedError = (host: string): AppError =>
  new AppError(
    'validation_error',
    `${host} has a link-local address, where clouds serve the credentials of this machine. Use another host.`,
  )
