import type { Context } from 'hono'
import { deleteCookie, getCookie, setCookie } from 'hono/cookie'
import { isSecure } from '../../shared/http/is-own-origin.ts'
import type { PublicUrl } from '../../shared/schemas/public-url.ts'

type AddressPort = { publicUrl: PublicUrl | undefined }

/** Sets a cookie that scripts cannot read, and that links from other sites send, but not their forms. */
export const setOwnCookie = (ports: AddressPort, c: Context, name: string, value: string, maxAge: number): void =>
  setCookie(c, nameOf(ports, c, name), value, { ...attributes(ports, c), maxAge })

export const ownCookie = (ports: AddressPort, c: Context, name: string): string | undefined =>
  getCookie(c, nameOf(ports, c, name))

export function removeOwnCookie(ports: AddressPort, c: Context, name: string): void {
  deleteCookie(c, nameOf(ports, c, name), attributes(ports, c))
}

/** Browsers accept the prefix only over https and without a path: it proves that no other host has set the cookie. */
function nameOf(ports: AddressPort, c: Context, name: string): string {
  const { path, secure } = attributes(ports, c)
  return `${secure && path === '/' ? '__Host-' : ''}carrel.${name}`
}

const attributes = ({ publicUrl }: AddressPort, c: Context) =>
  ({
    path: publicUrl?.path || '/',
    httpOnly: true,
    secure: publicUrl?.url.startsWith('https:') ?? isSecure(c),
    sameSite: 'Lax',
  }) as const
