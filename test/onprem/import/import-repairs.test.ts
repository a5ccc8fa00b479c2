import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { exported } from '../../fixtures/exported.ts'
import { page } from '../../fixtures/page.ts'
import { type LoggedJob, type TestInstall, testInstall } from '../../fixtures/test-install.ts'
import { zipOf } from '../../fixtures/zips.ts'

let app: TestInstall
beforeAll(async () => {
  app = await testInstall()
})
afterAll(() => app.close())

type Element = Record<string, unknown>
const element = (libraryId: string, more: Element = {}): Element => ({
  project: libraryId,
  title: 'Levers',
  codeSnippets: [],
  infoSnippets: [
    { id: 'https://example.com/guide', content: 'The lever turns the wheel.', breadcrumb: 'Guide > Levers', tokens: 6 },
  ],
  ...more,
})
const post = async (libraries: Element[], query = '') => {
  const { status, body } = await app.json(`/api/import-libraries${query}`, {
    method: 'POST',
    key: app.keys.member,
    body: { libraries },
  })
  expect(status).toBe(202)
  return body as { message: string; queued: string[]; skipped: object[] }
}
const lastJob = async (): Promise<LoggedJob> => {
  const { jobs } = (await app.json('/api/jobs?pageSize=1', { key: app.keys.member })).body as { jobs: { id: number }[] }
  return app.ended(jobs[0]?.id ?? 0)
}
/** Imports one library and returns its job. */
async function imported(libraries: Element, query = ''): Promise<LoggedJob> {
  const { queued, skipped } = await post([libraries], query)
  expect([queued, skipped]).toEqual([[libraries.project], []])
  const job = await lastJob()
  expect(job.error).toBeNull()
  return job
}
const lines = ({ report }: LoggedJob) => report?.skipped.map(({ path, reason }) => `${path}: ${reason}`)
const noted = 'Something of 1 library was left out or changed; the report of its job says what.'

describe('an import of a library with invalid metadata', () => {
  test.each([
    ['a number as text', { totalTokens: '5000' }, 'totalTokens: must be a number; it is converted'],
    ['a text as number', { lastUpdateDate: 1_700_000_000 }, 'lastUpdateDate: must be a text; it is converted'],
    ['a title as number', { title: 7 }, 'title: must be a text; it is converted'],
    ['a number that is none', { stars: 'many' }, 'stars: must be a number; it is ignored'],
    ['a number out of range', { trustScore: 95 }, 'trustScore: must be at most 10; it is ignored'],
    ['a description as object', { description: { en: 'x' } }, 'description: must be a text; it is ignored'],
    ['a title that is too long', { title: 'x'.repeat(2_001) }, 'title: must not be longer than 2000 characters; it is ignored'],
    ['one rule as text', { rules: 'Use levers.' }, 'rules: must be a list; it is converted'],
    [
      'rules that are none',
      { rules: [{}, 'Use levers.', ['x']] },
      'rules: has an item that must be a text; the item is ignored (2 times)',
    ],
    [
      'too many rules',
      { rules: Array(1_002).fill('Use levers.') },
      'rules: must not have more than 1000 items; the others are ignored',
    ],
    ['unknown fields', { parser: { version: 3 }, score: [1] }, 'parser: not a known field; it is ignored'],
  ])('converts or ignores %s and reports it', async (what, more, line) => {
    const libraryId = `/shown/${what.replaceAll(' ', '-')}`
    const job = await imported(element(libraryId, more))
    expect(lines(job)).toContain(line)
    expect(job.log.map(({ line: said }) => said)).toContain(
      'Something of the bundle was left out or changed; the report says what.',
    )
    expect(await app.context(libraryId, 'lever')).toContain('The lever turns the wheel.')
    if ('rules' in more) expect(await app.context(libraryId, 'lever')).toContain('- Use levers.')
  })

  test.each([
    ['true', true],
    ['FALSE', false],
    [0, false],
    ['nobody', true],
    [{}, true],
  ])('reads private %j as %j', async (value, isPrivate) => {
    const libraryId = `/private/is-${String(value).toLowerCase().replace(/\W/g, '')}`
    await imported(element(libraryId, { private: value }))
    expect((await app.json(`/api/projects${libraryId}`)).body).toMatchObject({ private: isPrivate })
  })
})

describe('a snippet', () => {
  test('is imported without wrong values in its metadata', async () => {
    const wrong = { id: 42, tokens: 10.5, title: 7, order: 'first', breadcrumb: ['Guide'], content: 'The crank turns.' }
    const code = {
      title: 'Crank',
      description: 5,
      codeList: [
        { language: 3, code: 'crank()' },
        { language: {}, code: 'turn()' },
        { language: 4, code: 'stop()', file: 'a.ts' },
        { lang: 'ts', code: 'go()', file: 'b.ts' },
      ],
    }
    const job = await imported(element('/shown/snippets', { infoSnippets: [wrong, wrong], codeSnippets: [code] }))
    expect(lines(job)).toEqual([
      'codeSnippets[].codeList[].file: not a known field; it is ignored (1 snippet)',
      'codeSnippets[].codeList[].lang: not a known field; it is ignored (1 snippet)',
      'codeSnippets[].codeList[].language: must be a text; it is converted (1 snippet)',
      'codeSnippets[].codeList[].language: must be a text; it is ignored (1 snippet)',
      'codeSnippets[].description: must be a text; it is converted (1 snippet)',
      'infoSnippets[].breadcrumb: must be a text; it is ignored (2 snippets)',
      'infoSnippets[].id: must be a text; it is converted (2 snippets)',
      'infoSnippets[].order: must be a number; it is ignored (2 snippets)',
      'infoSnippets[].title: must be a text; it is converted (2 snippets)',
      'infoSnippets[].tokens: must be a whole number; it is ignored (2 snippets)',
    ])
    const text = await app.context('/shown/snippets', 'crank')
    for (const part of ['### 7\n\nSource: 42\n\nThe crank turns.', '```3\ncrank()', '```\nturn()']) expect(text).toContain(part)
  })

  test('is skipped alone if it cannot be read: the first hundred are listed and the others counted', async () => {
    const bad = [{ codeList: 'x' }, { codeList: [{ code: 5 }] }, 7, null, { title: 'Only a title' }]
    const infoSnippets = [
      { content: 'The lever turns.' },
      ...Array(500).fill({ content: ['x'] }),
      { content: 'The crank turns.' },
    ]
    const answer = await post([element('/bad/some', { codeSnippets: bad, infoSnippets }), element('/bad/none')])
    expect(answer).toMatchObject({
      message: `Queued 2 libraries for import. ${noted}`,
      queued: ['/bad/some', '/bad/none'],
      skipped: [],
    })
    await lastJob()
    const { jobs } = (await app.json('/api/jobs?pageSize=2', { key: app.keys.member })).body as { jobs: LoggedJob[] }
    const job = jobs.find(({ project }) => project === '/bad/some') as LoggedJob
    expect(lines(job)).toHaveLength(101)
    expect(lines(job)).toEqual(
      expect.arrayContaining([
        'codeSnippets[0]: codeList must be a list',
        'codeSnippets[1]: codeList[0].code must be a text',
        'codeSnippets[2]: must be a JSON object',
        'codeSnippets[3]: must be a JSON object',
        'codeSnippets[4]: codeList is required',
        'infoSnippets[95]: content must be a text',
        '…: and 405 more snippets that cannot be read',
      ]),
    )
    expect(job.report).toMatchObject({ snippetsAfter: 2 })
    expect(job).toMatchObject({ filesDone: 2, filesTotal: 2 })
  })

  test('is skipped and counted if it is empty', async () => {
    const empty = [{ content: '' }, { content: ' \n' }, { content: '\u200b', title: 'Nothing' }]
    const codeSnippets = [
      { title: 'No code', codeList: [{ code: ' ' }] },
      { description: 'The crank turns.', codeList: [] },
    ]
    const job = await imported(element('/empty/some', { infoSnippets: empty, codeSnippets }))
    expect(lines(job)).toEqual(['codeSnippets: 1 empty snippet left out', 'infoSnippets: 3 empty snippets left out'])
    expect(job.report?.snippetsAfter).toBe(1)
  })

  test('is read under the field names of the context API like under those of a bundle', async () => {
    const code = {
      codeTitle: 'Crank',
      codeDescription: 'Turns a shaft.',
      codeId: 'https://example.com/crank',
      codeLanguage: 'ts',
      codeTokens: 9,
    }
    const codeList = [{ language: 'ts', code: 'crank()' }]
    const info = {
      pageId: 'https://example.com/lever',
      contentTokens: 4,
      content: 'The lever turns.',
      breadcrumb: 'Guide > Levers',
    }
    const job = await imported(element('/names/api', { codeSnippets: [{ ...code, codeList }], infoSnippets: [info] }))
    const own = { title: 'Crank', description: 'Turns a shaft.', id: 'https://example.com/crank', language: 'ts', tokens: 9 }
    const ownInfo = { id: 'https://example.com/lever', tokens: 4, content: info.content, breadcrumb: info.breadcrumb }
    await imported(element('/names/bundle', { codeSnippets: [{ ...own, codeList }], infoSnippets: [ownInfo] }))
    expect(lines(job)).toEqual([])
    const text = await app.context('/names/api', 'crank lever')
    expect(text).toBe((await app.context('/names/bundle', 'crank lever')).replaceAll('/names/bundle', '/names/api'))
    for (const part of ['### Crank', 'Source: https://example.com/crank', 'Turns a shaft.', 'Source: https://example.com/lever'])
      expect(text).toContain(part)
  })

  test('keeps the value under the name of a bundle if it has both names of a field, unless that is empty', async () => {
    const codeList = [{ code: 'crank()' }]
    const codeSnippets = [
      {
        title: 'Bundle',
        codeTitle: 'Api',
        id: '',
        codeId: 'https://example.com/a',
        description: null,
        codeDescription: 'Of the API.',
        codeList,
      },
      { codeTitle: 'Same', title: 'Same', codeList: [{ code: 'lever()' }] },
    ]
    const job = await imported(element('/names/both', { codeSnippets }))
    expect(lines(job)).toEqual(['codeSnippets[].codeTitle: differs from title, which is used (1 snippet)'])
    const text = await app.context('/names/both', 'crank')
    expect(text).toContain('### Bundle\n\nSource: https://example.com/a\n\nOf the API.')
  })

  test('is imported without its unknown fields, each of which the report counts', async () => {
    const many = Object.fromEntries(Array.from({ length: 60 }, (_, n) => [`field${n}`, n]))
    const infoSnippets = [
      { content: 'The lever turns.', embedding: [0.1, 0.2], ['x'.repeat(300)]: 1 },
      { content: 'The crank turns.', embedding: [0.3, 0.4], ...many },
    ]
    const job = await imported(element('/unknown/fields', { infoSnippets, constructor: 1, __proto__x: 2 }))
    expect(lines(job)).toHaveLength(51)
    expect(lines(job)).toEqual(
      expect.arrayContaining([
        'infoSnippets[].embedding: not a known field; it is ignored (2 snippets)',
        'infoSnippets[].field9: not a known field; it is ignored (1 snippet)',
        `${`infoSnippets[].${'x'.repeat(300)}`.slice(0, 100)}: not a known field; it is ignored (1 snippet)`,
        '…: and 14 more values of unknown fields',
      ]),
    )
  })
})

test.each([
  ['no list', {}],
  ['null', { codeSnippets: null }],
])('a library with one list of snippets and %s is imported', async (_, more) => {
  const infoSnippets = [{ content: 'The lever turns the wheel.' }]
  const job = await imported({ project: `/one/list${Object.keys(more).length}`, infoSnippets, ...more })
  expect([job.report?.snippetsAfter, lines(job)]).toEqual([1, []])
})

test('the answer to an import names unknown fields next to the libraries', async () => {
  const body = JSON.stringify({
    exporter: { name: 'x' },
    libraries: [element('/next/to')],
    ['y'.repeat(300)]: 1,
    force: false,
    exporter2: 1,
  })
  const answer = await app.json('/api/import-libraries', { method: 'POST', key: app.keys.member, body })
  const ignored = (names: string) => `Queued 1 library for import. Unknown fields next to "libraries" were ignored: ${names}.`
  expect(answer.body).toMatchObject({ message: ignored(`exporter, ${'y'.repeat(100)}, exporter2`), queued: ['/next/to'] })
  const many = Object.fromEntries(Array.from({ length: 5_000 }, (_, n) => [`field${n}`, n]))
  const next = await app.json('/api/import-libraries', {
    method: 'POST',
    key: app.keys.member,
    body: { ...many, libraries: [element('/next/many')] },
  })
  const first = Array.from({ length: 10 }, (_, n) => `field${n}`)
  expect(next.body).toMatchObject({ message: ignored(`${first.join(', ')} and 4990 more`) })
})

test('a library in which every snippet is bad is skipped with the first reason, and a forced import keeps the old content', async () => {
  await imported(element('/bad/all'))
  const bad = element('/bad/all', { infoSnippets: Array(2_000).fill({ content: 5 }) })
  const reason = 'It contains no snippet that can be read: infoSnippets[0]: content must be a text, and 1999 more cannot be read.'
  expect(await post([bad], '?force=true')).toMatchObject({ queued: [], skipped: [{ project: '/bad/all', reason }] })
  expect(await app.context('/bad/all', 'lever')).toContain('The lever turns the wheel.')
})

test('a zip with invalid metadata is read in the same way', async () => {
  const body = JSON.stringify({ libraries: [element('/in/zip', { totalTokens: '5000' })], exporter: 'x' })
  const form = new FormData()
  form.append('bundleFile', new Blob([Uint8Array.from(zipOf([{ name: 'a.json', content: body }]))]), 'a.zip')
  const answer = await app.ask('/api/import-libraries', { method: 'POST', key: app.keys.member, body: form })
  expect(await answer.json()).toMatchObject({
    queued: ['/in/zip'],
    message: expect.stringContaining(`${noted} Unknown fields next to "libraries" were ignored: exporter.`),
  })
  expect(lines(await lastJob())).toEqual(['totalTokens: must be a number; it is converted'])
})

test('a bundle of our own is imported without a note', async () => {
  await app.git.create('acme/own', { files: { 'README.md': page('Own', 'The lever turns.', '```ts\nlever()\n```') } })
  const exports = await exported(app.git.url, ['acme/own'])
  const { libraries } = (await (await exports.json('acme/own')).json()) as { libraries: Element[] }
  await exports.close()
  const { message } = await post(libraries)
  expect(message).toBe('Queued 1 library for import.')
  expect(lines(await lastJob())).toEqual([])
})
