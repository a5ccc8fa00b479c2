import { getConnInfo } from '@hono/node-server/conninfo'
import type { Context } from 'hono'

/** Facts about the user of a request. They distinguish users for one day and are never stored. */
export type Viewer = { country: string | undefined; address: string; userAgent: string }

const maxUserAgentLength = 1000

/**
 * Reads headers that CloudFront and the Router's edge function set, overwriting the values of a caller. Without a Router the headers
 * are taken as sent, and the address defaults to that of the connection.
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
