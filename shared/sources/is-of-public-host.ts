import { isPrivateAddress } from '../network/private-address.ts'

/** False for a private address, a name without a dot and the usual suffixes of names inside a network. */
export function isOfPublicHost(url: string): boolean {
  const host = new URL(url).hostname.replace(/^\[|\]$/g, '')
  return host.includes('.') && !isPrivateAddress(host) && !/\.(?:internal|local|lan|svc|intranet|corp|home\.arpa)$/.test(host)
}
