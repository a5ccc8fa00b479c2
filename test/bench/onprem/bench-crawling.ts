import { mkdir } from 'node:fs/promises'
import { join } from 'node:path'
import { installedDocumentation } from '../../fixtures/installed-documentation.ts'
import { type StaticSite, startStaticSite } from '../../fixtures/static-site.ts'
import { addVitepressPages } from '../../fixtures/vitepress-site.ts'
import { bytesOf } from '../libraries.ts'
import { measured, type Report } from '../report.ts'
import { jobEnded } from './job-ended.ts'
import { prepare } from './prepare.ts'
import { startServerProcess } from './server-process.ts'

const pages = 2_000
const generated = 300
const concurrent = 4

/** Crawls real pages of VitePress: the manuals and READMEs of installed packages, in editions whose first sentence differs. */
export async function benchCrawling({ note }: Report, folder: string): Promise<void> {
  await mkdir(join(folder, 'site'), { recursive: true })
  const site = await startStaticSite()
  const documentation = installedDocumentation(generated)
  await addVitepressPages(site, documentation, join(folder, 'site'))
  const addresses = addEditions(site)
  const key = await prepare(join(folder, 'data'), { 'sources.allowedHosts': [site.host] })
  const server = await startServerProcess(join(folder, 'data'))
  const [idleMb, before] = [server.rssMb(), server.cpuSeconds()]
  const began = performance.now()
  const answer = await fetch(`${server.url}/api/parse-website`, {
    method: 'POST',
    headers: { authorization: `Bearer ${key}`, 'content-type': 'application/json' },
    body: JSON.stringify({ websiteUrl: site.url, projectTitle: 'Shelf', maxPages: pages }),
  })
  const { queueId } = (await answer.json()) as { queueId: number }
  const { report } = await jobEnded(server, key, queueId)
  const seconds = (performance.now() - began) / 1000
  const [peakMb, cpuSeconds] = [server.peakMb(), server.cpuSeconds() - before]
  await server.stop()
  const bytes = addresses.reduce((sum, path) => sum + Buffer.byteLength(site.pages.get(path)?.body as Buffer), 0)
  const figure = `${report?.filesRead} pages of VitePress, ${(bytes / 1e6).toFixed(0)} MB of HTML from ${documentation.size} documents of ${(bytesOf({ files: documentation }) / 1e6).toFixed(1)} MB, request to searchable`
  note({ figure, measured: (report?.filesRead ?? 0) / seconds, unit: 'pages/s', cpuSeconds })
  for (const [name, side] of [
    ['one after another', 1],
    [`${concurrent} at a time`, concurrent],
  ] as const) {
    const floor = await measured(() => fetchAll(site, addresses, side))
    note({
      figure: `  floor: fetch of the same pages, ${name}`,
      measured: addresses.length / (floor.ms / 1000),
      unit: 'pages/s',
      cpuSeconds: floor.cpuSeconds,
      more: 'with the CPU time of the site',
    })
  }
  note({
    figure: '  peak RSS of the server, whose threads read the pages',
    measured: peakMb,
    unit: 'MB',
    more: `${idleMb.toFixed(0)} before`,
  })
  await site.close()
}

/** Repeats the pages below other folders, where the crawl would drop copies whose text does not differ. Returns the addresses of all. */
function addEditions(site: StaticSite): string[] {
  const first = [...site.pages].filter(([path]) => path.endsWith('.html') && path !== '/404.html')
  const paths = first.map(([path]) => path)
  for (let edition = 2; paths.length < pages; edition += 1)
    for (const [path, { headers, body }] of first) {
      if (paths.length >= pages) break
      const text = String(body).replace(/<main[^>]*>/, `$&<p>This is the page for edition number ${'i'.repeat(edition)}.</p>`)
      const edited = `/edition-${'i'.repeat(edition)}${path}`
      site.pages.set(edited, { headers: headers ?? {}, body: Buffer.from(text) })
      paths.push(edited)
    }
  const locations = paths.map((path) => `<url><loc>${site.url}${path}</loc></url>`)
  const headers = { 'content-type': 'application/xml' }
  site.pages.set('/sitemap.xml', { headers, body: `<urlset>${locations.join('')}</urlset>` })
  const index = site.pages.get(paths[0] ?? '')
  if (index) site.pages.set('/', index)
  return paths
}

async function fetchAll(site: StaticSite, addresses: string[], side: number): Promise<void> {
  const rest = addresses.values()
  const work = async () => {
    for (const path of rest) await (await fetch(site.url + path)).arrayBuffer()
  }
  await Promise.all(Array.from({ length: side }, work))
}
