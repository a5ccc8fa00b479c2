import type { Context } from 'hono'
import { isSecure } from '../../shared/http/is-own-origin.ts'
import type { PublicUrl } from '../../shared/schemas/public-url.ts'

type AddressPort = { publicUrl: PublicUrl | undefined }

/** The address of this server for the program that sent the request, without a slash at its end. */
export const browserUrl = ({ publicUrl }: AddressPort, c: Context): string =>
  publicUrl?.url ?? `${isSecure(c) ? 'https' : 'http'}://${c.req.header('host') ?? new URL(c.req.url).host}`

/** The origin and the host name of that address, to which passkeys belong. */
export function siteOf(ports: AddressPort, c: Context): { origin: string; host: string } {
  const { origin, hostname } = new URL(browserUrl(ports, c))
  return { origin, host: hostname }
}

/** The address of `/mcp`, for which tokens of OAuth are. */
export const resourceOf = (ports: AddressPort, c: Context): string => `${browserUrl(ports, c)}/mcp`
