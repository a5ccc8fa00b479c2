import { expect, onTestFinished, test } from 'vitest'
import { startGitServer } from '../fixtures/git-server.ts'
import { installedDocumentation } from '../fixtures/installed-documentation.ts'
import { prepareDir, startServer } from '../fixtures/server-process.ts'
import { startStaticSite } from '../fixtures/static-site.ts'
import { tempDir } from '../fixtures/temp-dir.ts'
import { until } from '../fixtures/until.ts'
import { addVitepressPages } from '../fixtures/vitepress-site.ts'

/** Written before the answers to them were seen. */
const questions = [
  'How do I declare a route with a schema for the response?',
  'Add a preHandler hook to a single route',
  'How can a plugin share a decorator with the parent context?',
  'Trust the proxy in front of the server to get the client address',
  'Write a custom error handler',
  'Parse request bodies of another content type',
  'Test a server without listening, with inject',
  'Log requests and hide the authorization header',
  'Serve HTTP2 over TLS',
  'Validate the query string and coerce types',
  'Mock a request in a test with MockAgent',
  'Limit the number of connections to an origin',
  'Send requests through a proxy',
  'Retry a failed request automatically',
  'Cache responses with an interceptor',
  'Redact passwords from log lines',
  'Create a child logger with bindings',
  'Send logs to several files in a worker thread',
  'Presign a URL for a download from S3 that expires',
  'Read robots.txt and ask whether a crawler may fetch a URL',
]
const pages = 300

type Answer = { codeSnippets: { codeId: string }[] }

test('a crawl of a VitePress site of 300 pages answers 20 questions first with the pages that its repository answers with', async () => {
  const documentation = installedDocumentation(pages - 1).set('index.md', '# Shelf\n\nManuals and libraries.\n')
  const [git, site] = await Promise.all([startGitServer(), startStaticSite()])
  onTestFinished(async () => {
    await git.close()
    await site.close()
  })
  await git.create('shelf/site', { files: Object.fromEntries([...documentation].map(([path, text]) => [`docs/${path}`, text])) })
  await addVitepressPages(site, documentation, tempDir())
  const server = await startServer(prepareDir(git.url, undefined, { 'sources.allowedHosts': [site.host] }))
  const added = async (path: string, body: object) => {
    const { queueId } = (await server.call('POST', path, body)).body
    await until(async () => (await server.job(Number(queueId))).finishedAt, 300)
    return server.job(Number(queueId))
  }
  const crawled = await added('/api/parse-website', { websiteUrl: site.url, projectTitle: 'Shelf', maxPages: pages })
  const cloned = await added('/api/parse', { repoUrl: `${git.url}/shelf/site` })
  expect([crawled, cloned].map(({ error, report }) => [error, report?.filesRead])).toEqual([
    [null, pages],
    [null, pages],
  ])
  const firstPage = async (libraryId: string, query: string) => {
    const { body } = await server.call('GET', `/api/v2/context?${new URLSearchParams({ libraryId, query, type: 'json' })}`)
    return pageOf((body as Answer).codeSnippets[0]?.codeId)
  }
  const others: string[] = []
  for (const question of questions)
    if ((await firstPage('/websites/shelf', question)) !== (await firstPage('/shelf/site', question))) others.push(question)
  expect(others).toEqual([])
}, 1_800_000)

/** The path of a page without what differs between the site and the repository. */
const pageOf = (address = ''): string | undefined =>
  /(?:fastify|libraries|pino|undici)\/[^#]*?(?=\.md|\.html|#|$)/.exec(decodeURIComponent(address))?.[0]
