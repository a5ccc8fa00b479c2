import { join } from 'node:path'
import { cookieName } from '../../../functions/dashboard/access/session.ts'
import { dashboardApp } from '../../../functions/dashboard/app.ts'
import { oidcIssuer } from '../../../functions/dashboard/auth/oidc-issuer.ts'
import { webFiles } from '../../../functions/local/start-dashboard.ts'
import { freePort } from '../../fixtures/free-port.ts'
import { median, quantile, type Report, timed } from '../report.ts'
import { startHosted } from './hosted-process.ts'
import { type SeededDashboard, seedDashboard } from './seed-dashboard.ts'
import { withHosted } from './temp-hosted.ts'

const [warmUps, rounds] = [20, 100]
/** The limit of a route that does not search. */
const maxMs = 20

/**
 * Every GET of the dashboard's API, as the owner of a teamspace with ten libraries asks for it. Their counters are read once and then kept,
 * because nobody uses them meanwhile.
 */
export async function benchDashboard(report: Report, folder: string): Promise<void> {
  const dataDir = join(folder, 'dashboard')
  const seeded = await seedDashboard(dataDir)
  const routes = await withHosted(dataDir, async (hosted) => getRoutes(hosted))
  const port = await freePort()
  const url = `http://127.0.0.1:${port}`
  const server = await startHosted(dataDir, { DASHBOARD_PORT: String(port) })
  try {
    const headers = { cookie: `${cookieName(url, 'session')}=${seeded.session}` }
    const read = async (path: string) => {
      const response = await fetch(`${url}${path}`, { headers })
      const text = await response.text()
      if (response.ok) return text
      throw new Error(`${path}: ${response.status} ${text}`)
    }
    const page = JSON.parse(await read(`/api/teamspaces/${seeded.team}/libraries/bench/lib-0/pages`)).pages[0].path
    const times = new Map(routes.map((route): [string, number[]] => [route, []]))
    // One route after the other, so that the load of the machine is that of all routes.
    for (let round = -warmUps; round < rounds; round++)
      for (const [route, ofRoute] of times) {
        const ms = await timed(() => read(pathOf(route, seeded, page)))
        if (round >= 0) ofRoute.push(ms)
      }
    for (const [route, ofRoute] of times) {
      const wanted = route.endsWith('/exports/libraries') ? {} : { wanted: { max: maxMs } }
      const more = `p95 ${quantile(ofRoute, 0.95).toFixed(0)} ms`
      report.note({ figure: `GET ${route.slice('/api'.length)}, p50`, ...wanted, measured: median(ofRoute), unit: 'ms', more })
    }
    const first: number[] = []
    for (let days = 31; days <= 90; days++)
      first.push(await timed(() => read(`/api/teamspaces/${seeded.team}/usage?days=${days}`)))
    const more = `p95 ${quantile(first, 0.95).toFixed(0)} ms`
    report.note({ figure: '  usage of a period that nobody has asked for', measured: median(first), unit: 'ms', more })
  } finally {
    await server.stop()
  }
}

/** The routes of the dashboard's API that only read, except questions and builds, of which there are none. */
function getRoutes(hosted: Parameters<typeof dashboardApp>[0]): string[] {
  const issuer = oidcIssuer({ issuer: 'https://issuer.example.com', clientId: '', clientSecret: '' })
  const site = { url: 'http://127.0.0.1', serviceUrl: 'http://127.0.0.1', issuer, webFiles }
  const { routes } = dashboardApp(hosted, site)
  const paths = routes.filter(({ method, path }) => method === 'GET' && path.startsWith('/api/')).map(({ path }) => path)
  return [...new Set(paths)].filter((path) => !/\/(ask|exports\/:id)$/.test(path))
}

function pathOf(route: string, { team, license, selection, invite }: SeededDashboard, page: string): string {
  const path = route
    .replace('/licenses/:id', `/licenses/${license}`)
    .replace('/selections/:id', `/selections/${selection}`)
    .replace(':team', team)
    .replace(':owner/:repo', 'bench/lib-0')
    .replace(':token', invite)
    .replace(':path{.+}', page)
  return path.endsWith('/exports/libraries') ? `${path}?q=lib` : path
}
