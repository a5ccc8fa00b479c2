import type { Context } from 'hono'

/** The address of the service as its callers use it, without a path. Behind the Router, a header that callers cannot set has its host. */
export function siteOf(c: Context, behindRouter: boolean): string {
  const host = c.req.header(behindRouter ? 'x-forwarded-host' : 'host') ?? ''
  const address = `${behindRouter ? 'https' : 'http'}://${host}`
  return URL.canParse(address) ? new URL(address).origin : 'http://localhost'
}
