import { gzipSync } from 'node:zlib'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { type StaticSite, startStaticSite } from '../../fixtures/static-site.ts'
import { type TestInstall, testInstall } from '../../fixtures/test-install.ts'

const nav = '<nav><a href="/">Home</a> <a href="/guide/">Guide</a> <a href="/guide/routes">Routes</a></nav>'
const html = (body: string, head = '') =>
  `<!doctype html><html lang="en"><head><meta charset="utf-8">${head}</head><body>${nav}<main>${body}</main><footer>Footer of Birds</footer></body></html>`
const page = (title: string, text: string, head = '') => ({
  headers: { 'content-type': 'text/html' },
  body: html(`<h1>${title}</h1><p>${text}</p>`, `<title>${title} | Birds</title>${head}`),
})
const xml = (body: string) => ({ headers: { 'content-type': 'application/xml' }, body })

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
const send = (body: object, key: string | undefined = install.keys.admin) =>
  install.json('/api/parse-website', { method: 'POST', ...(key !== undefined && { key }), body })
async function added(body: object) {
  const { status, body: answer } = await send(body)
  expect([status, answer]).toEqual([202, expect.anything()])
  return install.ended((answer as { queueId: number }).queueId)
}
const pagesOf = async (id: string): Promise<string[]> => {
  const { body } = await install.json(`/api/v2/libs${id}/pages`, { key: install.keys.admin })
  return (body as { pages: { path: string }[] }).pages.map(({ path }) => path).sort()
}
const ask = async (id: string, query: string) => {
  const path = `/api/v2/context?libraryId=${encodeURIComponent(id)}&query=${encodeURIComponent(query)}&type=json`
  const { body } = await install.json(path, { key: install.keys.admin })
  return body as {
    codeSnippets: { codeId: string; codeList: { language: string; code: string }[] }[]
    infoSnippets: { breadcrumb: string; pageId: string; content: string }[]
  }
}

test('a website is read from its sitemap and its links, and answers with the addresses of its pages', async () => {
  const site = await siteOf({
    '/': page('Birds', 'Birds is a library that draws birds on a page.'),
    '/guide/': page('Guide', 'The guide begins with the installation of the program.'),
    '/guide/routes': {
      headers: { 'content-type': 'text/html' },
      body: html(
        '<h1>Routes</h1><p>A route leads a swallow to the south.</p><pre><code class="language-js">birds.route("south")</code></pre>',
      ),
    },
    '/hidden': page('Hidden', 'Only the sitemap names this page about owls.'),
  })
  site.pages.set('/sitemap.xml', xml(`<urlset><url><loc>${site.url}/hidden</loc></url></urlset>`))
  const job = await added({ websiteUrl: site.url, projectTitle: 'Birds' })
  expect([job.error, job.project]).toEqual([null, '/websites/birds'])
  expect(await pagesOf('/websites/birds')).toEqual([
    'docs/guide/index.html',
    'docs/guide/routes.html',
    'docs/hidden.html',
    'docs/index.html',
  ])
  const { codeSnippets } = await ask('/websites/birds', 'route to the south')
  expect(codeSnippets[0]).toMatchObject({
    codeId: `${site.url}/guide/routes`,
    codeList: [{ language: 'js', code: 'birds.route("south")' }],
  })
  const answer = JSON.stringify(await ask('/websites/birds', 'owls'))
  expect(answer).toContain(`${site.url}/hidden`)
  expect(answer).not.toContain('Footer of Birds')
})

test('pages with one heading above all of them are told apart by the next one, below a menu of any length', async () => {
  const birds = ['Owls', 'Storks', 'Herons', 'Cranes', 'Swifts', 'Ravens']
  const menu = Array.from({ length: 200 }, (_, i) => `<li class="item"><div><a href="/">Chapter ${i} of the menu</a></div></li>`)
  const site = await siteOf()
  for (const bird of birds)
    site.pages.set(`/${bird.toLowerCase()}`, {
      headers: { 'content-type': 'text/html' },
      body: html(
        `<ul>${menu.join('')}</ul><h1>Birds</h1><h2>${bird}</h2><p>A page about ${bird.toLowerCase()} and what they eat.</p><blockquote><p>${bird} are protected.</p></blockquote>`,
        `<title>${bird}</title>`,
      ),
    })
  site.pages.set('/', page('Start', birds.map((bird) => `<a href="/${bird.toLowerCase()}">${bird}</a>`).join(' ')))
  await added({ websiteUrl: site.url, projectTitle: 'Headings' })
  const { infoSnippets } = await ask('/websites/headings', 'what do herons eat')
  expect(infoSnippets[0]).toMatchObject({
    breadcrumb: 'Herons',
    content: 'A page about herons and what they eat.\n\n> Herons are protected.',
  })
})

test('a website whose host is not listed is refused with the setting to change', async () => {
  const { status, body } = await send({ websiteUrl: 'https://docs.example.com/' })
  expect([status, (body as { message: string }).message]).toEqual([
    400,
    expect.stringContaining('An admin can add it to the setting sources.allowedHosts.'),
  ])
})

test('a page that robots.txt forbids, an excluded one and one that is too deep are not read', async () => {
  const site = await siteOf({
    '/robots.txt': 'User-agent: *\nDisallow: /private\n\nUser-agent: carrel\nDisallow: /secret',
    '/': page('Start', '<a href="/secret/a">a</a><a href="/private">b</a><a href="/blog/2024/x">c</a><a href="/deep/1">d</a>'),
    '/secret/a': page('Secret', 'Nobody may read this.'),
    '/private': page('Private', 'Robots with another name may not read this.'),
    '/blog/2024/x': page('Post', 'An old post.'),
    '/deep/1': page('One', 'First level. <a href="/deep/2">next</a>'),
    '/deep/2': page('Two', 'Second level.'),
  })
  await added({ websiteUrl: `${site.url}/`, projectTitle: 'Rules', maxDepth: 1, excludePatterns: ['/blog/*'] })
  expect(await pagesOf('/websites/rules')).toEqual(['docs/deep/1.html', 'docs/index.html', 'docs/private.html'])
})

test('only the allowed number of pages is read, and the report says so', async () => {
  const links = Array.from({ length: 40 }, (_, i) => `<a href="/p/page-${'abcdefgh'[i % 8]}${'ijklm'[i % 5]}">x</a>`).join('')
  const site = await siteOf({ '/': page('Many', `Many pages. ${links}`) })
  for (const a of 'abcdefgh')
    for (const b of 'ijklm') site.pages.set(`/p/page-${a}${b}`, page(`Page ${a}${b}`, `Text of the page ${a}${b}.`))
  const job = await added({ websiteUrl: site.url, projectTitle: 'Many', maxPages: 10 })
  expect(await pagesOf('/websites/many')).toHaveLength(10)
  expect(job.report?.skipped).toContainEqual({
    path: `${site.url}/`,
    reason: expect.stringContaining('the limit of 10 pages was reached'),
  })
})

test('a site whose text is written by JavaScript is refused with a sentence', async () => {
  const shell = {
    headers: { 'content-type': 'text/html' },
    body: '<html><body><noscript>You need to enable JavaScript to run this app.</noscript><div id="root"></div><script src="/a.js"></script></body></html>',
  }
  const site = await siteOf({ '/': shell, '/robots.txt': { status: 404 } })
  const job = await added({ websiteUrl: site.url, projectTitle: 'Shell' })
  expect([job.state, job.error]).toEqual([
    'failed',
    expect.stringContaining('have no text until a browser runs their JavaScript'),
  ])
})

test('a page is read once, whatever its address is: redirect, session, canonical, copy, base and refresh', async () => {
  const site = await siteOf({
    '/': page(
      'Once',
      '<a href="/a">a</a><a href="/a/?utm_source=x">a</a><a href="/a;jsessionid=1">a</a><a href="/b">b</a><a href="/copy">c</a><a href="/named?v=1">n</a><a href="/based/x">d</a><a href="/moving">m</a><a href="/loop">l</a>',
    ),
    '/a': page('A', 'The text of the page A.'),
    '/b': { status: 301, headers: { location: '/a' } },
    '/loop': { status: 302, headers: { location: '/loop' } },
    '/copy': page('A', 'The text of the page A.'),
    '/named?v=1': page('Named', 'The text of a named page.', '<link rel="canonical" href="/named">'),
    '/based/x': page('Based', 'A page with a base. <a href="other">o</a>', '<base href="/elsewhere/">'),
    '/elsewhere/other': page('Other', 'The page that a base leads to.'),
    '/moving': page('Moving', 'Please wait.', '<meta http-equiv="refresh" content="0; url=/landed">'),
    '/landed': page('Landed', 'The page that a refresh leads to.'),
  })
  const job = await added({ websiteUrl: site.url, projectTitle: 'Once' })
  expect(await pagesOf('/websites/once')).toEqual([
    'docs/a.html',
    'docs/based/x.html',
    'docs/elsewhere/other.html',
    'docs/index.html',
    'docs/landed.html',
    'docs/named.html',
  ])
  expect(job.report?.skipped).toContainEqual({ path: `${site.url}/loop`, reason: expect.stringContaining('redirects more than') })
  expect(site.requests.filter(({ path }) => path === '/a').length).toBeLessThanOrEqual(2)
})

test('a refresh sends conditions, keeps pages that fail for the moment, and changes nothing for unchanged pages', async () => {
  const withTag = (title: string, text: string) => ({
    ...page(title, text),
    headers: { 'content-type': 'text/html', etag: `"${title}"` },
  })
  const site = await siteOf({
    '/': withTag('Tagged', 'The first page of a tagged site. <a href="/one">one</a> <a href="/two">two</a>'),
    '/one': withTag('One', 'The first of two pages.'),
    '/two': withTag('Two', 'The second of two pages.'),
  })
  await added({ websiteUrl: site.url, projectTitle: 'Tagged' })
  site.requests.length = 0
  for (const path of ['/', '/one']) site.pages.set(path, { status: 304 })
  site.pages.set('/two', { status: 500 })
  const job = await install.refresh('websites/tagged')
  expect([job.state, job.report?.filesRead]).toEqual(['done', 0])
  expect(site.requests.find(({ path }) => path === '/one')?.headers['if-none-match']).toBe('"One"')
  expect(await pagesOf('/websites/tagged')).toEqual(['docs/index.html', 'docs/one.html', 'docs/two.html'])
})

test('traps end at their limits: calendars, repeated folders, an answer for every address', async () => {
  const site = await siteOf()
  const answer = (path: string) => {
    const month = Number(/month=(\d+)/.exec(path)?.[1] ?? 0)
    if (path === '/robots.txt' || path.startsWith('/sitemap')) return undefined
    if (path.startsWith('/calendar'))
      return page(`Month ${month}`, `Events of month ${month}. <a href="/calendar?month=${month + 1}">next</a>`)
    if (path === '/' || path.startsWith('/sub'))
      return page(
        `Sub ${path.length}`,
        `Relative links. <a href="sub/sub/">deeper</a> <a href="/calendar?month=1">calendar</a> <a href="/missing">x</a>`,
      )
    return page('Oops', 'Sorry, but nothing was found at this address. Try the search.')
  }
  const get = site.pages.get.bind(site.pages)
  site.pages.get = (path) => get(path) ?? answer(path)
  await added({ websiteUrl: site.url, projectTitle: 'Traps', maxPages: 1_000, maxDepth: 20 })
  const pages = await pagesOf('/websites/traps')
  expect(pages.length).toBeLessThan(40)
  expect(pages).not.toContain('docs/missing.html')
})

test('a host that asks for a pause gets it, and one that asks for too long ends the crawl', async () => {
  const site = await siteOf({
    '/': page('Busy', 'A busy site. <a href="/later">later</a>'),
    '/later': { status: 429, headers: { 'retry-after': '0' } },
  })
  let tries = 0
  const get = site.pages.get.bind(site.pages)
  site.pages.get = (path) => (path === '/later' && ++tries > 1 ? page('Later', 'The page is there now.') : get(path))
  await added({ websiteUrl: site.url, projectTitle: 'Busy' })
  expect(await pagesOf('/websites/busy')).toEqual(['docs/index.html', 'docs/later.html'])
  const slow = await siteOf({ '/': { status: 503, headers: { 'retry-after': '86400' } }, '/robots.txt': { status: 404 } })
  expect((await send({ websiteUrl: slow.url, projectTitle: 'Slow' })).status).toBe(202)
  const status = async () => JSON.stringify((await install.json('/api/parse-status', { key: install.keys.admin })).body)
  await expect.poll(status).toContain('asks to wait 86400 s')
})

test('compressed sitemaps, indexes of sitemaps and a robots.txt that is too large are read up to their limits', async () => {
  const site = await siteOf({
    '/': page('Index', 'A site with nested sitemaps.'),
    '/one': page('One', 'The first page of an index.'),
    '/self.xml': '<sitemapindex><sitemap><loc>/self.xml</loc></sitemap></sitemapindex>',
  })
  const robots = `Sitemap: ${site.url}/index.xml\n${'# a long comment\n'.repeat(200_000)}User-agent: *\nDisallow: /\n`
  site.pages.set('/robots.txt', { body: robots })
  site.pages.set(
    '/index.xml',
    xml(
      `<sitemapindex><sitemap><loc>${site.url}/pages.xml.gz</loc></sitemap><sitemap><loc>${site.url}/index.xml</loc></sitemap><sitemap><loc>http://169.254.169.254/s.xml</loc></sitemap></sitemapindex>`,
    ),
  )
  site.pages.set('/pages.xml.gz', { body: gzipSync(`<urlset><url><loc>${site.url}/one</loc></url></urlset>`) })
  await added({ websiteUrl: site.url, projectTitle: 'Nested' })
  expect(await pagesOf('/websites/nested')).toEqual(['docs/index.html', 'docs/one.html'])
})

test('a page that unpacks to gigabytes, one that leads to a private address and one of another type are skipped', async () => {
  const bomb = gzipSync(Buffer.alloc(40 * 2 ** 20, 'a '))
  const site = await siteOf({
    '/': page('Odd', 'Odd pages. <a href="/bomb">a</a> <a href="/inside">b</a> <a href="/data">c</a> <a href="/fine">d</a>'),
    '/bomb': { headers: { 'content-type': 'text/html', 'content-encoding': 'gzip' }, body: bomb },
    '/inside': { status: 302, headers: { location: 'http://127.0.0.1:1/latest/meta-data' } },
    '/data': { headers: { 'content-type': 'application/octet-stream' }, body: 'x' },
    '/fine': page('Fine', 'A page like any other.'),
  })
  const job = await added({ websiteUrl: site.url, projectTitle: 'Odd' })
  expect(await pagesOf('/websites/odd')).toEqual(['docs/fine.html', 'docs/index.html'])
  const skipped = job.report?.skipped.filter(({ path }) => !path.includes('/guide/')) ?? []
  expect(skipped.map(({ path, reason }) => `${path.slice(site.url.length)} ${reason}`).sort()).toEqual([
    expect.stringContaining('/bomb'),
    expect.stringContaining('/data it is application/octet-stream'),
    expect.stringContaining('/inside'),
  ])
})
