import { execFileSync, spawn } from 'node:child_process'
import { once } from 'node:events'
import { mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join, resolve } from 'node:path'
import { head } from '../test/fixtures/bundle.ts'
import { startGitServer } from '../test/fixtures/git-server.ts'
import { snippetsOf } from '../test/fixtures/imports.ts'
import { listening } from '../test/fixtures/listening.ts'
import { cookiesOf } from '../test/fixtures/sign-in.ts'
import { until } from '../test/fixtures/until.ts'

/**
 * Makes the data directory of a release for `test/e2e/upgrade.test.ts`: `node tools/make-release-data.ts CHECKOUT NAME`. CHECKOUT is a clone at
 * the commit of the release, with `npm ci` done. Writes `test/fixtures/releases/NAME.tar.gz` and `NAME.json`, which holds its test secrets.
 */
const [checkout = '', name = ''] = process.argv.slice(2)
if (checkout === '' || name === '') throw new Error('Usage: node tools/make-release-data.ts CHECKOUT NAME')
const releases = new URL('../test/fixtures/releases/', import.meta.url).pathname
const cwd = resolve(checkout)
const dataDir = mkdtempSync(join(tmpdir(), 'carrel-release-'))
const env = { PATH: `${join(cwd, 'node_modules/node/bin')}:${process.env.PATH}`, DATA_DIR: dataDir, PORT: '0' }
const carrel = (...words: string[]) =>
  execFileSync('node', ['onprem/cli/main.ts', ...words], { cwd, env, stdio: ['ignore', 'pipe', 'inherit'] })
    .toString()
    .trim()

const git = await startGitServer()
const page = (word: string) =>
  `# Widgets\n\nA short guide.\n\n## Painting\n\nThe ${word} paints a widget.\n\n\`\`\`ts\npaint('${word}')\n\`\`\`\n`
await git.create('acme/widgets', { files: { 'README.md': page('brush') }, tags: ['v1.0.0'] })
carrel('settings', 'set', 'github.baseUrl', git.url)
carrel('settings', 'set', 'permissions.anonymousRefresh', 'true')
const key = carrel('keys', 'create', '--name', 'laptop', '--role', 'admin')

const server = spawn('node', ['onprem/main.ts'], { cwd, env, stdio: ['ignore', 'pipe', 'inherit'] })
const url = await listening(server)
async function call(method: string, path: string, body?: unknown, more: Record<string, string> = {}) {
  const headers = { authorization: `Bearer ${key}`, 'content-type': 'application/json', origin: url, ...more }
  const answer = await fetch(url + path, { method, headers, ...(body === undefined ? {} : { body: JSON.stringify(body) }) })
  const text = await answer.text()
  if (!answer.ok) throw new Error(`${method} ${path}: ${answer.status} ${text}`)
  return { answer, body: (text === '' ? {} : JSON.parse(text)) as Record<string, unknown> }
}
const isIdle = async () => Object.keys((await call('GET', '/api/parse-status')).body.activeParses as object).length === 0

await call('POST', '/api/parse', { repoUrl: `${git.url}/acme/widgets`, versions: ['v1.0.0'] })
await until(isIdle)
await call('POST', '/api/import-libraries', {
  libraries: [{ ...head({ project: '/acme/imported' }), ...snippetsOf('The imported hammer.') }],
})
await until(isIdle)
const password = 'a password of a test'
const { answer } = await call(
  'POST',
  '/api/auth/session/sign-in/username',
  { username: 'admin', password: 'admin' },
  { authorization: '' },
)
const cookie = cookiesOf(answer.headers.getSetCookie())
await call(
  'POST',
  '/api/account/credentials',
  { currentPassword: 'admin', username: 'ada', password },
  { authorization: '', cookie },
)
await call('POST', '/api/users', { username: 'mia', password, role: 'member' })
const question = await fetch(`${url}/api/v2/context?libraryId=/acme/widgets&query=painting`)
if (!(await question.text()).includes('brush')) throw new Error('the release does not answer')
server.kill('SIGTERM')
const [code] = await once(server, 'exit')
if (code !== 0) throw new Error(`the release ended with code ${code}`)
await git.close()

mkdirSync(releases, { recursive: true })
execFileSync('tar', [
  '-czf',
  join(releases, `${name}.tar.gz`),
  '--owner=0',
  '--group=0',
  '--exclude=server.lock',
  '-C',
  dataDir,
  '.',
])
const { version } = JSON.parse(readFileSync(join(cwd, 'package.json'), 'utf8')) as { version: string }
const lancedb = JSON.parse(readFileSync(join(cwd, 'node_modules/@lancedb/lancedb/package.json'), 'utf8')) as { version: string }
const commit = execFileSync('git', ['rev-parse', 'HEAD'], { cwd }).toString().trim()
writeFileSync(
  join(releases, `${name}.json`),
  `${JSON.stringify({ version, commit, lancedb: lancedb.version, key, username: 'ada', password }, null, 2)}\n`,
)
rmSync(dataDir, { recursive: true })
