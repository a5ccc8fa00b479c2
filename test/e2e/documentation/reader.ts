import { generateKeyPairSync } from 'node:crypto'
import { mkdirSync, symlinkSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { onTestFinished } from 'vitest'
import { startConfluence } from '../../fixtures/confluence-server.ts'
import { makePdf } from '../../fixtures/documents.ts'
import { exported } from '../../fixtures/exported.ts'
import { type GitServer, startGitServer } from '../../fixtures/git-server.ts'
import { hostedDir, startHosted } from '../../fixtures/hosted-process.ts'
import { page } from '../../fixtures/page.ts'
import { startStaticSite } from '../../fixtures/static-site.ts'
import { tempDir } from '../../fixtures/temp-dir.ts'
import { testInstall } from '../../fixtures/test-install.ts'
import { webhookReceiver } from '../../fixtures/webhook-receiver.ts'
import { operatorOf } from './operator.ts'
import type { Session } from './shell-session.ts'

/** The reader of a page, on a machine that runs its server. */
export type Reader = Session & {
  /** A command of the page with the addresses of the test. */
  here(command: string): string
}

/** The reader of a page. Ends with the test. */
export async function readerOf(name: string): Promise<Reader> {
  const git = await gitServer()
  const folder = tempDir()
  mkdirSync(join(folder, '.config/fish/completions'), { recursive: true })
  if (name === 'docs/team.md') return { folder, env: {}, here: (command) => command }
  if (name === 'docs/runbook.md') return { ...(await operatorOf(git, folder)), here: (command) => command }
  if (name === 'docs/hosted.md') {
    const dataDir = hostedDir(git.url)
    const { url } = await startHosted(dataDir)
    symlinkSync(dataDir, join(folder, 'data-hosted'))
    return { folder, env: {}, here: addresses(git, url) }
  }
  const site = await birds()
  const wiki = await handbook()
  const receiver = await webhookReceiver()
  onTestFinished(() => receiver.close())
  const { dataDir, keys, url, close } = await testInstall()
  onTestFinished(close)
  const settings = await fetch(`${url}/api/settings`, {
    method: 'PATCH',
    headers: { authorization: `Bearer ${keys.admin}`, 'content-type': 'application/json' },
    body: JSON.stringify({ 'github.baseUrl': git.url, 'sources.allowedHosts': [site.host, wiki.host] }),
  })
  if (!settings.ok) throw new Error(await settings.text())
  symlinkSync(dataDir, join(folder, 'data'))
  writeFileSync(join(folder, 'token.txt'), 'a-token')
  writeFileSync(join(folder, 'carrel.private-key.pem'), privateKey())
  writeFileSync(join(folder, 'address-of-webhook.txt'), receiver.url)
  mkdirSync(join(folder, 'backups'))
  await writeDocuments(folder)
  if (name === 'docs/imports.md') await carryOver(git, folder)
  const atAddresses = addresses(git, url)
  const inFolder = (command: string) =>
    command
      .replaceAll('/mnt/backups', join(folder, 'backups'))
      .replaceAll('/tmp/drill', join(folder, 'drill'))
      .replaceAll('https://birds.example.com', site.url)
      .replaceAll('https://example.atlassian.net/wiki', wiki.site)
      .replaceAll('example.atlassian.net', wiki.host)
  return { folder, env: { KEY: keys.admin }, here: (command) => inFolder(atAddresses(command)) }
}

const documentation = {
  'README.md': page('Website', 'The website of honojs.'),
  'docs/helpers/cookie.md': page('Cookie', 'Read a cookie with `getCookie`.\n\n```ts\ngetCookie(c, "name")\n```\n'),
}

/** The repositories that the pages name. */
async function gitServer(): Promise<GitServer> {
  const git = await startGitServer()
  onTestFinished(() => git.close())
  await git.create('honojs/website', { files: documentation, tags: ['v4'] })
  await git.create('acme/api', { files: documentation, tags: ['v1.0.0', 'v2.0.0'] })
  for (const name of ['acme/docs', 'acme/handbook']) await git.create(name, { files: documentation })
  return git
}

/** The website that the pages name. */
async function birds() {
  const html = '<h1>Birds</h1><p>The wren sings.</p>'
  const site = await startStaticSite({ '/docs/': { headers: { 'content-type': 'text/html' }, body: html } })
  onTestFinished(() => site.close())
  return site
}

/** The Confluence site that the pages name. */
async function handbook() {
  const storage = '<p>The wren sings at dawn.</p>'
  const site = await startConfluence('cloud', [
    { key: 'DOC', id: 1, name: 'Handbook', pages: [{ id: '1', title: 'Birds', version: 1, storage }] },
  ])
  onTestFinished(() => site.close())
  return site
}

const privateKey = (): string =>
  generateKeyPairSync('rsa', { modulusLength: 2048 }).privateKey.export({ type: 'pkcs1', format: 'pem' }).toString()

/** The files that the pages name. */
async function writeDocuments(folder: string): Promise<void> {
  mkdirSync(join(folder, 'docs'))
  writeFileSync(join(folder, 'docs/start.md'), page('Start', 'The wren sings.'))
  writeFileSync(
    join(folder, 'openapi.yaml'),
    'openapi: 3.1.0\ninfo: {title: Eggs}\npaths: {/eggs: {get: {summary: List eggs, responses: {}}}}\n',
  )
  writeFileSync(join(folder, 'manual.pdf'), await makePdf((pdf) => pdf.text('The wren builds several nests.')))
}

/** Puts exports of the hosted half into the folder. */
async function carryOver(git: GitServer, folder: string): Promise<void> {
  const exports = await exported(git.url, ['honojs/website'])
  onTestFinished(() => exports.close())
  writeFileSync(join(folder, 'service-libraries.zip'), await exports.zip())
  writeFileSync(join(folder, 'dev-bundle.pub.pem'), exports.bundleKey)
  writeFileSync(join(folder, 'website.json'), await (await exports.json('honojs/website')).text())
}

const addresses = (git: GitServer, url: string) => (command: string) =>
  command
    .replaceAll('https://github.com', git.url)
    .replaceAll(/http:\/\/127\.0\.0\.1:[34]000|https:\/\/carrel\.example\.com/g, url)
