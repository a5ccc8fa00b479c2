import { afterAll, beforeAll, expect, test } from 'vitest'
import { lanceSnippets } from '../../../shared/store/lance-snippets.ts'
import { page } from '../../fixtures/page.ts'
import { type TestInstall, testInstall } from '../../fixtures/test-install.ts'

let install: TestInstall
/** Indexing waits for this. */
const released = Promise.withResolvers<void>()

/** More libraries than a question without scores of their text is asked to. */
const others = Array.from({ length: 21 }, (_, n) => `part${n}`)

beforeAll(async () => {
  install = await testInstall({
    openSnippets(dir) {
      const snippets = lanceSnippets(dir)
      return {
        ...snippets,
        async *scan(generation) {
          await released.promise
          yield* snippets.scan(generation)
        },
      }
    },
  })
  for (const name of others) {
    await install.git.create(`acme/${name}`, { files: { 'README.md': page(name, 'A wheel turns.', 'A gear turns.') } })
    await install.parse(`acme/${name}`)
  }
  install.app.settings.change({ 'github.token': 'sesame', 'permissions.hidePrivate': true })
  await install.git.create('acme/small', { files: { 'README.md': '# Small\n\nConfigure the escapement before you wind it.\n' } })
  await install.git.create('acme/secret', {
    files: { 'README.md': '# Secret\n\nThe escapement escapement is hidden.\n' },
    private: '*:sesame',
  })
  for (const name of ['small', 'secret']) await install.parse(`acme/${name}`)
}, 120_000)
afterAll(() => install.close())

const pending = async (key?: string) => {
  const { body } = await install.json('/api/search?q=wheel', key === undefined ? {} : { key })
  return (body as { pending: number }).pending
}

async function answering(query: string, key?: string): Promise<string[]> {
  const asked = `/api/v2/search?${new URLSearchParams({ query, type: 'json' })}`
  const { body } = await install.json(asked, key === undefined ? {} : { key })
  const { infoSnippets = [], codeSnippets = [] } = body as Record<string, { libraryId: string; rank: number }[]>
  const ranked = [...infoSnippets, ...codeSnippets].sort((a, b) => a.rank - b.rank)
  return [...new Set(ranked.map(({ libraryId }) => libraryId))]
}

test('the number of pending libraries does not count those that the caller may not read', async () => {
  expect([await pending(), await pending(install.keys.member)]).toEqual([others.length + 1, others.length + 2])
})

test('a question without a library is answered while the text is being indexed', async () => {
  expect(await answering('how does a gear turn')).toContain('/acme/part0')
})

test('a question without a library is answered by the libraries whose text has its words, in any form, among those that the caller may read', async () => {
  released.resolve()
  await install.app.textIndex.settled()
  expect([await pending(), await pending(install.keys.member)]).toEqual([0, 0])
  expect(await answering('configuring escapements')).toEqual(['/acme/small'])
  expect(new Set(await answering('configuring escapements', install.keys.member))).toEqual(
    new Set(['/acme/small', '/acme/secret']),
  )
})

test('a question in another language finds English text', async () => {
  expect((await answering('¿cómo se configura el escapement?'))[0]).toBe('/acme/small')
})
