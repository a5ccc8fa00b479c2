import { BlockList, isIP } from 'node:net'
import { z } from 'zod'

const rule = 'must be addresses or networks such as 10.0.0.0/8 or fd00::/8, separated by commas'

/** The proxies whose X-Forwarded-For header is trusted. */
export const TrustedProxies = z
  .string()
  .default('127.0.0.0/8, ::1')
  .transform((text, context) => {
    const list = new BlockList()
    for (const entry of text.split(',').map((each) => each.trim())) {
      const [, address = '', prefix] = /^([^/]+)(?:\/(\d{1,3}))?$/.exec(entry) ?? []
      const family = isIP(address) === 6 ? 'ipv6' : 'ipv4'
      const bits = Number(prefix ?? (family === 'ipv6' ? 128 : 32))
      if (isIP(address) === 0 || address.includes('%') || bits > (family === 'ipv6' ? 128 : 32)) {
        context.addIssue({ code: 'custom', message: `${rule}; "${entry.slice(0, 100)}" is neither` })
        return z.NEVER
      }
      list.addSubnet(address, bits, family)
    }
    return list
  })

export function isTrusted(proxies: BlockList, address: string): boolean {
  const family = isIP(address)
  return family !== 0 && proxies.check(address, family === 6 ? 'ipv6' : 'ipv4')
}
