import { BlockList, isIP } from 'node:net'
import { z } from 'zod'

export type Subnet = [address: string, bits: number, family: 'ipv4' | 'ipv6']

/** Reads an address or a network such as `10.0.0.0/8`. Undefined if it is neither. */
export function readSubnet(text: string): Subnet | undefined {
  const [, address = '', prefix] = /^([^/%]+)(?:\/(\d{1,3}))?$/.exec(text) ?? []
  const family = isIP(address)
  if (family === 0) return undefined
  const most = family === 6 ? 128 : 32
  const bits = Number(prefix ?? most)
  return bits > most ? undefined : [address, bits, family === 6 ? 'ipv6' : 'ipv4']
}

/** True if an address is in one of these networks. */
export function isInSubnets(address: string, networks: readonly string[]): boolean {
  const family = isIP(address)
  if (family === 0) return false
  const list = new BlockList()
  for (const subnet of networks.map(readSubnet)) if (subnet) list.addSubnet(...subnet)
  return list.check(address, family === 6 ? 'ipv6' : 'ipv4')
}

/** An address or a network. */
export const SubnetText = z
  .string()
  .max(50)
  .refine((text) => readSubnet(text) !== undefined, 'must be an address or a network such as 10.0.0.0/8 or fd00::/8')
