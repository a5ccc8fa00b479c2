import { hc } from 'hono/client'
import type { DashboardApp } from '../../dashboard/app.ts'

/** The API of this dashboard, and its sign-in. */
export const { api, auth } = hc<DashboardApp>(location.origin)
