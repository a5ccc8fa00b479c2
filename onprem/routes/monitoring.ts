import { Hono } from 'hono'
import { type CallerEnv, type RightPorts, requireRight } from '../access/caller.ts'
import type { Monitor } from '../monitoring/monitor.ts'

const prometheusText = 'text/plain; version=0.0.4; charset=utf-8'

/** `GET /metrics`, at the path that monitoring systems ask for. Not part of the API, like `/mcp`. */
export const monitoringRoutes = (ports: RightPorts & { monitor: Pick<Monitor, 'text'> }) =>
  new Hono<CallerEnv>().get('/metrics', requireRight(ports, 'monitoring'), async (c) =>
    c.body(await ports.monitor.text(), 200, { 'content-type': prometheusText, 'cache-control': 'no-store' }),
  )
