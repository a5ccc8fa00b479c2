import { describe, expect, test } from 'vitest'
import { getContext } from '../../../../shared/search/get-context.ts'
import type { ServedVersion } from '../../../../shared/search/libraries/catalog.ts'
import { answerLanguage } from '../../../../shared/search/ranking/answer-language.ts'
import { renderText } from '../../../../shared/search/render-answer.ts'
import { questionLanguages } from '../../../../shared/search/words/foreign-language.ts'
import { indexedLibrary } from '../../../fixtures/indexed-library.ts'

const en =
  '# Sessions\n\n## Refresh a token\n\nCall `refreshToken` before the session of the user expires, and store the new token.\n\n```ts\nrefreshToken(session)\n```\n'
const de =
  '# Sitzungen\n\n## Ein Token erneuern\n\nRufe `refreshToken` auf, bevor die Sitzung des Benutzers abläuft, und speichere das neue Token.\n\n```ts\nrefreshToken(session)\n```\n'
const ja =
  '# セッション\n\n## トークンを更新する\n\nセッションの有効期限が切れる前に `refreshToken` を呼び出してください。\n\n```ts\nrefreshToken(session)\n```\n'
const files = {
  'docs/en/session.md': en,
  'docs/de/session.md': de,
  'docs/ja/session.md': ja,
  'docs/en/log.md': '# Logs\n\nEach request writes a line.\n',
}
const library = {
  ...{ id: '/acme/docs', title: 'Docs', description: '', branch: 'main', lastUpdateDate: '', state: 'finalized' as const },
  ...{
    totalTokens: 1,
    totalSnippets: 1,
    stars: -1,
    trustScore: 10,
    benchmarkScore: 0,
    versions: [],
    aliases: [],
    source: 'Local',
  },
}
const served = (generation: string) =>
  ({ library, version: undefined, generation, ref: 'main', rules: [] }) satisfies ServedVersion

async function indexed(languages?: string[]) {
  const { snippets, index, carry, stored } = indexedLibrary()
  await index('g1', files, languages ? { languages } : {})
  const ask = (query: string, docsLanguage?: string, generation = 'g1') =>
    getContext(
      { catalog: { served: async () => served(generation) }, snippets },
      { libraryId: { owner: 'acme', repo: 'docs' }, query, tokens: 5000, ...(docsLanguage !== undefined && { docsLanguage }) },
    )
  const languagesOf = async (query: string, docsLanguage?: string) =>
    (await ask(query, docsLanguage)).snippets.map((each) => each.docsLanguage)
  return { ask, languagesOf, carry, stored }
}

describe('an answer of a library in several languages', () => {
  test('begins in the language of the question, else in English', async () => {
    const { languagesOf } = await indexed(['en', 'de', 'ja'])
    expect((await languagesOf('how do I refresh the token of a session'))[0]).toBe('en')
    expect((await languagesOf('refreshToken'))[0]).toBe('en')
    expect((await languagesOf('Wie kann ich das Token einer Sitzung erneuern?'))[0]).toBe('de')
    expect((await languagesOf('セッションのトークンを更新する'))[0]).toBe('ja')
  })

  test('has only snippets in the requested language, in any spelling of its code', async () => {
    const { languagesOf } = await indexed(['en', 'de', 'ja'])
    expect(new Set(await languagesOf('refreshToken of a session', 'DE'))).toEqual(new Set(['de']))
    expect(new Set(await languagesOf('refreshToken', 'ja-JP'))).toEqual(new Set(['ja']))
  })

  test('has a note about a language that the library does not have', async () => {
    const { ask } = await indexed(['en', 'de'])
    const answer = await ask('refreshToken of a session', 'python')
    expect(answer.notes).toContain('docsLanguage "python" is ignored: the documentation is in English (en), German (de).')
    expect(renderText(answer)).toContain('Note: docsLanguage "python" is ignored')
    expect(answer.snippets.length).toBeGreaterThan(0)
  })

  test('is the same after an export and import', async () => {
    const { ask, carry, stored } = await indexed(['en', 'de', 'ja'])
    await carry('g1', 'g2')
    for (const query of ['refreshToken', 'Token der Sitzung erneuern', 'log of requests'])
      for (const language of [undefined, 'de']) expect(await ask(query, language, 'g2')).toEqual(await ask(query, language))
    expect((await stored('g2')).statistics).toBe((await stored('g1')).statistics)
  })
})

test('a library in one language is ranked as it is, and ignores a requested language with a note', () => {
  const one = { docsLanguages: [], docsLanguageOf: () => undefined }
  expect(answerLanguage('Wie geht das?', one).factor(1)).toBe(1)
  expect(answerLanguage('how', one, 'en').note).toBeUndefined()
  expect(answerLanguage('how', one, 'typescript').note).toBe(
    'docsLanguage "typescript" is ignored: the library has its documentation in one language only.',
  )
})

test.each([
  ['how do I read a cookie', []],
  ['useState', []],
  ['Wie kann ich die Datei öffnen?', ['de']],
  ['Wie lade ich eine Datei hoch?', ['de']],
  ['comment envoyer un fichier avec le client', ['fr']],
  ['what is a model in the es module of a la carte imports', []],
  ['pip install fastapi uvicorn', []],
  ['ファイルを開く', ['ja']],
  ['如何打开文件', ['zh']],
  ['파일을 여는 방법', ['ko']],
  ['كيف أفتح الملف', ['ar', 'fa', 'ur', 'ps']],
])('the question %j may be in %j', (question, languages) => {
  expect(questionLanguages(question)).toEqual(languages)
})
