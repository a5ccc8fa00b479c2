import { afterAll, beforeAll, expect, test } from 'vitest'
import { type StaticSite, startStaticSite } from '../../fixtures/static-site.ts'
import { type TestInstall, testInstall } from '../../fixtures/test-install.ts'

let install: TestInstall
let site: StaticSite
const markdown = (body: string) => ({ headers: { 'content-type': 'text/markdown' }, body })
const plain = (body: string) => ({ headers: { 'content-type': 'text/plain' }, body })
beforeAll(async () => {
  install = await testInstall()
  site = await startStaticSite()
  install.app.settings.change({ 'sources.allowedHosts': [site.host] })
})
afterAll(async () => {
  await install.close()
  await site.close()
})

const send = (body: object) => install.json('/api/parse-llmstxt', { method: 'POST', key: install.keys.admin, body })
async function added(body: object) {
  const { status, body: answer } = await send(body)
  expect([status, answer]).toEqual([202, expect.anything()])
  return install.ended((answer as { queueId: number }).queueId)
}
const ask = async (id: string, query: string) => {
  const path = `/api/v2/context?libraryId=${encodeURIComponent(id)}&query=${encodeURIComponent(query)}&type=json`
  return (await install.json(path, { key: install.keys.admin })).body
}

test('an llms.txt is read with the pages that it names, as Markdown if the site has it', async () => {
  const html = '<html><body><main><h1>Owls</h1><p>Owls sleep by day in a hollow tree.</p></main></body></html>'
  site.pages.set(
    '/llms.txt',
    plain(
      '# Birds\n\n> Documentation about birds.\n\n## Docs\n\n- [Swallows](/swallows): fly south\n- [Owls](/owls)\n- [Else](http://127.0.0.1:1/x)\n',
    ),
  )
  site.pages.set('/swallows.md', markdown('# Swallows\n\nA swallow carries a coconut.\n\n```js\nswallow.carry("coconut")\n```\n'))
  site.pages.set('/owls', { headers: { 'content-type': 'text/html' }, body: html })
  const job = await added({ llmstxtUrl: `${site.url}/llms.txt`, projectTitle: 'Birds' })
  expect([job.error, job.project]).toEqual([null, '/llmstxt/birds'])
  expect(await ask('/llmstxt/birds', 'swallow coconut')).toMatchObject({
    codeSnippets: [
      {
        codeId: expect.stringContaining(`${site.url}/swallows`),
        codeList: [{ language: 'js', code: 'swallow.carry("coconut")' }],
      },
    ],
  })
  expect(JSON.stringify(await ask('/llmstxt/birds', 'where do owls sleep'))).toContain(`${site.url}/owls`)
  expect(job.report?.skipped).toContainEqual({
    path: 'http://127.0.0.1:1/x',
    reason: expect.stringContaining('not among the hosts'),
  })
  expect(site.requests.some(({ path }) => path === '/swallows')).toBe(false)
})

test('an llms-full.txt becomes a page for each address that it names, and no other page is asked for', async () => {
  site.requests.length = 0
  site.pages.set(
    '/llms-full.txt',
    plain(
      '# Herons\nSource: /herons\n\nA heron stands in the water.\n\n```sh\n# Not a title\nheron stand\n```\n\n# Geese\nSource: /geese\n\nGeese fly in a row.\n',
    ),
  )
  await added({ llmstxtUrl: `${site.url}/llms-full.txt`, projectTitle: 'Full' })
  expect(JSON.stringify(await ask('/llmstxt/full', 'geese row'))).toContain(`${site.url}/geese`)
  expect(JSON.stringify(await ask('/llmstxt/full', 'heron water'))).toContain(`${site.url}/herons`)
  expect(site.requests.map(({ path }) => path)).toEqual(['/robots.txt', '/llms-full.txt'])
})

test('another file, and a web page instead of the file, are refused', async () => {
  expect((await send({ llmstxtUrl: `${site.url}/robots.txt` })).status).toBe(400)
  site.pages.set('/sub/llms.txt', { headers: { 'content-type': 'text/html' }, body: '<html>Hello</html>' })
  const job = await added({ llmstxtUrl: `${site.url}/sub/llms.txt`, projectTitle: 'Page' })
  expect([job.state, job.error]).toEqual(['failed', expect.stringContaining('is a web page and no llms.txt')])
})
