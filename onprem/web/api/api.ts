import { hc } from 'hono/client'
import { pageMeta } from '../../../shared/web/api/page-meta.ts'
import type { AppType } from '../../server.ts'

/** The API of this server. */
export const api = hc<AppType>(new URL(`${pageMeta('base')}/`, location.origin).href, {
  headers: { 'x-carrel-source': 'web' },
}).api
