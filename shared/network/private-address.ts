import { BlockList, isIP } from 'node:net'

const privateNetworks = new BlockList()
// Linux connects to this machine for an address of this network.
privateNetworks.addSubnet('0.0.0.0', 8)
privateNetworks.addSubnet('10.0.0.0', 8)
privateNetworks.addSubnet('127.0.0.0', 8)
privateNetworks.addSubnet('172.16.0.0', 12)
privateNetworks.addSubnet('192.168.0.0', 16)
privateNetworks.addAddress('::', 'ipv6')
privateNetworks.addAddress('::1', 'ipv6')
privateNetworks.addSubnet('fc00::', 7, 'ipv6')

/** True for loopback and private addresses (RFC 1122, RFC 1918, RFC 4193). False for names, link-local and shared addresses (RFC 6598). */
export function isPrivateAddress(address: string): boolean {
  const family = isIP(address)
  return family !== 0 && privateNetworks.check(address, family === 6 ? 'ipv6' : 'ipv4')
}

/** True if a host, as in a URL or in HOST, can be reached only from this machine. */
export function isLoopbackHost(host: string): boolean {
  return /^(localhost|\[?::1\]?|127(\.\d{1,3}){3})$/.test(host.toLowerCase())
}
