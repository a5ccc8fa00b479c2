import { z } from 'zod'

/** The address of a service that we call: https, or http on this machine alone; without slashes at its end. */
export const BaseUrl = z
  .string('must be a text')
  .trim()
  .max(500, 'must not be longer than 500 characters')
  .transform((text, context) => {
    const address = readAddress(text)
    if ('url' in address) return address.url
    context.addIssue({ code: 'custom', message: address.refused })
    return z.NEVER
  })

/** Whether a host, as it stands in a URL or in HOST, can only be reached from this machine. */
export const isLoopbackHost = (host: string): boolean => /^(localhost|\[?::1\]?|127(\.\d{1,3}){3})$/.test(host.toLowerCase())

function readAddress(text: string): { url: string } | { refused: string } {
  const url = URL.parse(text)
  if (url === null) return { refused: 'must be an address such as https://example.com' }
  if (url.username !== '' || url.password !== '') return { refused: 'must not hold a user name or password' }
  if (/[?#]/.test(text)) return { refused: 'must not hold a query or fragment' }
  if (url.hostname.endsWith('.')) return { refused: 'must not have a dot at the end of its host' }
  if (url.protocol === 'https:' || (url.protocol === 'http:' && isLoopbackHost(url.hostname))) {
    return { url: url.origin + url.pathname.replace(/\/+$/, '') }
  }
  return { refused: 'must start with https:// (http:// is for 127.0.0.1 and localhost alone)' }
}
