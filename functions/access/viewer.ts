import { getConnInfo } from '@hono/node-server/conninfo'
import type { Context } from 'hono'

/** Who asks, as far as the way here tells. It is used to tell users apart for a day, and never kept. */
export type Viewer = { country: string | undefined; address: string; userAgent: string }

const maxUserAgentLength = 1000

/**
 * Behind the Router from headers that CloudFront and the Router's edge function set over whatever a caller sent. Where none stands in
 * front they are taken as sent, and an address is the connection's where none is.
 */
export const readViewer = (c: Context, behindRouter: boolean): Viewer => ({
  country: c.req.header('cloudfront-viewer-country'),
  address: (behindRouter ? c.req.header('x-viewer-address') : sentAddress(c)) ?? '',
  userAgent: (c.req.header('user-agent') ?? '').slice(0, maxUserAgentLength),
})

const sentAddress = (c: Context): string | undefined =>
  c.req.header('cloudfront-viewer-address')?.replace(/:\d+$/, '') ?? c.req.header('x-viewer-address') ?? connectionAddress(c)

function connectionAddress(c: Context): string | undefined {
  const hasConnection = typeof c.env === 'object' && c.env !== null && 'incoming' in c.env
  return hasConnection ? getConnInfo(c).remote.address : undefined
}
