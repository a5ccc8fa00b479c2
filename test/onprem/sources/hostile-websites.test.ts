import { setTimeout as sleep } from 'node:timers/promises'
import { brotliCompressSync, gzipSync } from 'node:zlib'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { openDownloads } from '../../../shared/sources/download.ts'
import { failure } from '../../fixtures/failure.ts'
import { type StaticSite, startStaticSite } from '../../fixtures/static-site.ts'
import { type LoggedJob, type TestInstall, testInstall } from '../../fixtures/test-install.ts'

const html = { 'content-type': 'text/html; charset=utf-8' }
const page = (title: string, text: string, head = '') => ({
  headers: html,
  body: `<!doctype html><html lang="en"><head><title>${title}</title>${head}</head><body><main><h1>${title}</h1><p>${text}</p></main></body></html>`,
})
const links = (paths: string[]) => paths.map((path) => `<a href="${path}">${path}</a>`).join(' ')
const mb = 2 ** 20

let install: TestInstall
const sites: StaticSite[] = []
beforeAll(async () => {
  install = await testInstall()
})
afterAll(async () => {
  await install.close()
  for (const site of sites) await site.close()
})

async function siteOf(pages: Parameters<typeof startStaticSite>[0] = {}): Promise<StaticSite> {
  const site = await startStaticSite(pages)
  sites.push(site)
  install.app.settings.change({ 'sources.allowedHosts': sites.map(({ host }) => host) })
  return site
}
async function crawl(site: StaticSite, projectTitle: string, more = {}): Promise<LoggedJob> {
  const { body } = await install.call('POST', '/api/parse-website', { websiteUrl: site.url, projectTitle, ...more })
  return install.ended(Number(body.queueId))
}
const pagesOf = async (id: string): Promise<string[]> => {
  const { body } = await install.call('GET', `/api/v2/libs${id}/pages`)
  return (body as { pages: { path: string }[] }).pages.map(({ path }) => path).sort()
}
const reasonFor = (job: LoggedJob, site: StaticSite, path: string) =>
  job.report?.skipped.find((each) => each.path === site.url + path)?.reason

/** A body of `bytes`, and the number of those that were sent. */
function longBody(bytes: number, chunk: Buffer) {
  const sent = { bytes: 0 }
  const body = async function* () {
    for (; sent.bytes < bytes; sent.bytes += chunk.length) yield chunk
  }
  return { sent, body }
}

test('a page of 10 GB, bombs in gzip and brotli, and a page that drips for hours are skipped with their reasons', async () => {
  const huge = longBody(10_000 * mb, Buffer.alloc(65_536, 'a '))
  const text = Buffer.alloc(100 * mb, 'a ')
  const site = await siteOf({
    '/': page('Sizes', `Pages of all sizes. ${links(['/huge', '/gzip', '/brotli', '/drip', '/fine'])}`),
    '/huge': { headers: html, body: huge.body },
    '/gzip': { headers: { ...html, 'content-encoding': 'gzip' }, body: gzipSync(text) },
    '/brotli': { headers: { ...html, 'content-encoding': 'br' }, body: brotliCompressSync(text) },
    '/drip': {
      headers: html,
      async *body() {
        for (;;) yield await sleep(1_000, Buffer.from('a'))
      },
    },
    '/fine': page('Fine', 'A page of the usual size.'),
  })
  const job = await crawl(site, 'Sizes')
  expect(await pagesOf('/websites/sizes')).toEqual(['docs/fine.html', 'docs/index.html'])
  for (const path of ['/huge', '/gzip', '/brotli']) expect(reasonFor(job, site, path)).toContain('is larger than 10 MB')
  expect(reasonFor(job, site, '/drip')).toContain('within 30 s')
  expect(huge.sent.bytes).toBeLessThan(100 * mb)
})

test('a robots.txt of 1 GB is read up to its limit', async () => {
  const robots = longBody(1_000 * mb, Buffer.from('# a long comment\n'.repeat(4_000)))
  const site = await siteOf({
    '/': page('Robots', 'A site with long rules.'),
    '/robots.txt': { headers: { 'content-type': 'text/plain' }, body: robots.body },
  })
  await crawl(site, 'Robots')
  expect(await pagesOf('/websites/robots')).toEqual(['docs/index.html'])
  expect(robots.sent.bytes).toBeLessThan(50 * mb)
})

test('a page that redirects to a metadata service is skipped, and the service is not asked', async () => {
  const targets = ['http://169.254.169.254/latest/', 'http://metadata.google.internal/', 'http://[::ffff:169.254.169.254]/']
  const paths = targets.map((_, i) => `/to-${'abc'[i]}`)
  const site = await siteOf({ '/': page('Redirects', `Pages that lead away. ${links(paths)}`) })
  for (const [i, location] of targets.entries()) site.pages.set(paths[i] ?? '', { status: 302, headers: { location } })
  const job = await crawl(site, 'Redirects')
  expect(paths.map((path) => reasonFor(job, site, path))).toEqual(
    paths.map(() => expect.stringContaining('is an address that is never asked')),
  )
})

test.each(['localhost', '0.0.0.0'])(
  'a name that leads to this machine when it is connected, %s, is not asked by the hosted half',
  async (host) => {
    const site = await siteOf({ '/': page('Inside', 'A page of this machine.') })
    const port = new URL(site.url).port
    const access = { env: {}, allowedHosts: () => [`${host}:${port}`], mayBePrivate: false }
    const downloads = await openDownloads(access, 5_000)
    const request = { maxBytes: mb, timeMs: 5_000, signal: AbortSignal.timeout(10_000) }
    const error = await failure(downloads.get(`http://${host}:${port}/`, request))
    downloads.close()
    expect([error.code, error.message]).toEqual(['validation_error', expect.stringMatching(/never asked/)])
    expect(site.requests).toEqual([])
  },
)

test('sitemaps that name ever more sitemaps end at their limits', async () => {
  const site = await siteOf({ '/': page('Nests', 'A site with endless sitemaps.') })
  const get = site.pages.get.bind(site.pages)
  site.pages.get = (path) => {
    if (!path.startsWith('/sitemap')) return get(path)
    const children = Array.from(
      { length: 100 },
      (_, i) => `<sitemap><loc>${site.url}${path.slice(0, -4)}-${i}.xml</loc></sitemap>`,
    )
    return { headers: { 'content-type': 'application/xml' }, body: `<sitemapindex>${children.join('')}</sitemapindex>` }
  }
  await crawl(site, 'Nests')
  expect(site.requests.filter(({ path }) => path.startsWith('/sitemap')).length).toBeLessThanOrEqual(50)
})

test('a calendar whose months are folders ends, and so do pages that lead to each other by meta refresh', async () => {
  const refresh = (to: string) => page('Wait', 'Please wait.', `<meta http-equiv="refresh" content="0;url=${to}">`)
  const site = await siteOf({
    '/': page('Months', `All months. ${links(['/calendar/2026/11/', '/ping'])}`),
    '/ping': refresh('/pong'),
    '/pong': refresh('/ping'),
  })
  const get = site.pages.get.bind(site.pages)
  site.pages.get = (path) => {
    const [, year, month] = /^\/calendar\/(\d+)\/(\d+)\/$/.exec(path) ?? []
    if (year === undefined) return get(path)
    const next = Number(year) * 12 + Number(month)
    return page(`Month ${month} of ${year}`, `Events. ${links([`/calendar/${Math.floor(next / 12)}/${(next % 12) + 1}/`])}`)
  }
  await crawl(site, 'Months', { maxPages: 1_000, maxDepth: 20 })
  expect((await pagesOf('/websites/months')).length).toBeLessThanOrEqual(21)
  expect(site.requests.length).toBeLessThan(40)
})

test('a site whose first pages lead to each other without end is refused with a sentence', async () => {
  const refresh = (to: string) => page('Wait', 'Please wait.', `<meta http-equiv="refresh" content="0;url=${to}">`)
  const site = await siteOf({ '/': refresh('/again'), '/again': refresh('/') })
  const job = await crawl(site, 'Circle')
  expect([job.state, job.error]).toEqual(['failed', expect.stringContaining('leads from page to page without end')])
})

test('pages that change while they are crawled are stored as they were read, and the next crawl brings the new ones', async () => {
  let edition = 1
  const site = await siteOf()
  const get = site.pages.get.bind(site.pages)
  site.pages.get = (path) => {
    if (path === '/') return page('News', `Edition ${edition} begins. ${links(['/first', '/gone'])}`)
    if (path === '/first') {
      edition = 2
      return page('First', `The first page names a heron. ${links(['/second'])}`)
    }
    if (path === '/second' && edition === 2) return page('Second', 'The second page names a stork.')
    return get(path)
  }
  const job = await crawl(site, 'News')
  expect([job.state, await pagesOf('/websites/news')]).toEqual([
    'done',
    ['docs/first.html', 'docs/index.html', 'docs/second.html'],
  ])
  expect(reasonFor(job, site, '/gone')).toBe('it does not exist')
  expect(await install.context('/websites/news', 'edition begins')).toContain('Edition 1 begins.')
  await install.refresh('websites/news')
  expect(await install.context('/websites/news', 'edition begins')).toContain('Edition 2 begins.')
})
