import { afterAll, beforeAll, expect, test } from 'vitest'
import type { BundleElement } from '../../../shared/bundle/bundle-element.ts'
import { developmentPair } from '../../../shared/keys/development-pair.ts'
import { signLicense } from '../../../shared/keys/license.ts'
import { type TestHosted, testHosted } from '../../fixtures/test-hosted.ts'

let hosted: TestHosted
let license: string

const english =
  'The router matches a request by its method and its path, and calls the handler that was registered for it. Middleware runs before the handler and may answer the request instead of it.'
const german =
  'Der Router ordnet eine Anfrage nach ihrer Methode und ihrem Pfad zu und ruft den dafür eingetragenen Handler auf. Middleware läuft vor dem Handler und darf die Anfrage an seiner Stelle beantworten.'
const japanese =
  'ルーターはリクエストのメソッドとパスを照合し、登録されたハンドラーを呼び出します。ミドルウェアはハンドラーの前に実行され、ハンドラーの代わりにリクエストに応答することができます。クッキーはレスポンスのヘッダーに設定され、次のリクエストで読み取ることができます。設定ファイルは起動時に一度だけ読み込まれます。'
const code = '```ts\nconst router = createRouter({ method: "GET", path: "/", handler: async (request) => respond(request) })\n```'

beforeAll(async () => {
  hosted = await testHosted()
  const claims = { id: 'l', customer: 'Example', kind: 'offline' as const, expiresAt: '2099-01-01T00:00:00.000Z' }
  license = await signLicense(claims, developmentPair(hosted.dataDir, 'license').privatePem)
})
afterAll(() => hosted.close())

test.each<[string, string, Record<string, string>]>([
  ['English', 'english', { 'README.md': `# Router\n\n${english}\n\n${code}\n` }],
  ['German', 'german', { 'README.md': `# Router\n\n${german}\n\n${code}\n\n${code.replaceAll('GET', 'PUT')}\n` }],
  ['Japanese', 'japanese', { 'README.md': `# Router\n\n${japanese}\n\n${code}\n` }],
  ['English', 'mostly-english', { 'README.md': `# A\n\n${english} ${english}\n`, 'docs/de.md': `# B\n\n${german}\n` }],
  ['English', 'too-short-to-tell', { 'README.md': `# Router\n\nDreht den Hebel.\n\n${code}\n` }],
])('an export has the language %s: %s', async (language, name, files) => {
  await hosted.git.create(`acme/${name}`, { files })
  await hosted.add(`acme/${name}`)
  const authorization = `Bearer ${license}`
  const answer = await hosted.post('/api/v1/enterprise/export', { library: `acme/${name}` }, { authorization })
  const { libraries } = (await answer.json()) as { libraries: BundleElement[] }
  expect(libraries.map((element) => element.language)).toEqual([language])
})
