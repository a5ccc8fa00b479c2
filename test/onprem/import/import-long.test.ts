import { afterAll, beforeAll, expect, test } from 'vitest'
import { type TestInstall, testInstall } from '../../fixtures/test-install.ts'

let install: TestInstall
beforeAll(async () => {
  install = await testInstall({ limits: { read: { workers: 1, timeMs: 60_000, heapMb: 32, threadBytes: 1e6 } } })
})
afterAll(() => install.close())

async function imported(element: object): Promise<Awaited<ReturnType<TestInstall['ended']>>> {
  const { body } = await install.call('POST', '/api/import-libraries?force=true', { libraries: [element] })
  expect(body).toMatchObject({ skipped: [] })
  const [job] = (await install.call('GET', '/api/jobs')).body.jobs as { id: number }[]
  return install.ended(job?.id ?? 0)
}
const words = (from: number, count: number) => Array.from({ length: count }, (_, n) => `w${from + n}`).join(' ')
const ask = async (query: string, type: 'txt' | 'json', tokens = 5_000) => {
  const params = new URLSearchParams({ libraryId: '/long/docs', query, type, tokens: String(tokens) })
  return (await fetch(`${install.url}/api/v2/context?${params}`)).text()
}

test('a snippet of a megabyte is split into chunks of the usual size, in order, under its address', async () => {
  const code = (n: number) => `const lever${n} = turn(${n})\n`.repeat(100)
  const content = Array.from({ length: 100 }, (_, n) => `Step ${n} turns wheel${n}.\n\n\`\`\`ts\n${code(n)}\`\`\``).join('\n\n')
  const codeList = Array.from({ length: 100 }, (_, n) => ({ language: 'ts', code: code(n).trimEnd() }))
  const job = await imported({
    project: '/long/docs',
    title: 'Long',
    codeSnippets: [{ id: 'https://example.com/code', title: 'Levers', pageTitle: 'Guide', content, codeList }],
    infoSnippets: [{ id: 'https://example.com/info', pageTitle: 'Prose', title: 'Words', content: words(0, 15_000) }],
  })
  expect(job).toMatchObject({ state: 'done', report: { skipped: [] } })
  expect(job.report?.snippetsAfter).toBeGreaterThan(150)
  const [{ contentTokens, pageId } = { contentTokens: 0, pageId: '' }] = (
    JSON.parse(await ask('w7777', 'json')) as { infoSnippets: { contentTokens: number; pageId: string }[] }
  ).infoSnippets
  expect(pageId).toBe('https://example.com/info')
  expect(contentTokens).toBeGreaterThan(100)
  expect(contentTokens).toBeLessThanOrEqual(520)
  const { codeSnippets } = JSON.parse(await ask('lever42 turn', 'json')) as {
    codeSnippets: { codeId: string; codeTokens: number; codeList: { language: string; code: string }[] }[]
  }
  expect(codeSnippets[0]).toMatchObject({ codeId: 'https://example.com/code', codeList: [{ language: 'ts' }] })
  expect(codeSnippets[0]?.codeTokens).toBeLessThanOrEqual(520)
  const text = await ask('lever42 turn', 'txt')
  expect(text).toMatch(/```ts\n(const lever42 = turn\(42\)\n)+```/)
  expect(text.match(/^```/gm)?.length).toBe(2)
})

test('a response is short in spite of empty code and long language names', async () => {
  const long = 'l'.repeat(2000)
  const code = (text: string) => Array.from({ length: 3_000 }, () => ({ language: long, code: text }))
  const job = await imported({
    project: '/long/docs',
    codeSnippets: [
      { id: 'https://example.com/empty', title: 'Empty', content: 'The axle turns.', codeList: code('') },
      { id: 'https://example.com/short', title: 'Short', content: 'The crank turns.', codeList: code('x') },
      { id: 'https://example.com/one', title: 'One', content: 'The wheel turns.', codeList: code('roll()').slice(0, 1) },
    ],
    infoSnippets: [],
  })
  expect(job).toMatchObject({ state: 'done', report: { skipped: [] } })
  for (const query of ['axle', 'crank', 'turns']) expect((await ask(query, 'json')).length).toBeLessThan(100_000)
  const { codeSnippets } = JSON.parse(await ask('wheel turns', 'json'))
  expect(codeSnippets[0].codeList).toEqual([{ language: long.slice(0, 50), code: 'roll()' }])
})

test('a page that exceeds the limits of a reader is skipped with its reason, and the others are imported', async () => {
  const info = (path: string, content: string) => ({ id: `https://example.com/${path}`, path, content })
  const heavy = Array.from({ length: 3 }, (_, n) => ({
    ...info('docs/heavy.md', words(n * 100_000, 100_000)),
    url: 'https://example.com/heavy',
  }))
  const job = await imported({
    project: '/long/docs',
    codeSnippets: [],
    infoSnippets: [info('docs/a.md', 'The lever turns.'), ...heavy, info('docs/z.md', 'The pulley lifts.')],
  })
  expect(job).toMatchObject({
    state: 'done',
    error: null,
    report: {
      snippetsAfter: 2,
      skipped: [{ path: 'docs/heavy.md', reason: 'it needs more than 32 MB of memory to parse' }],
    },
  })
  expect(await ask('pulley', 'txt')).toContain('The pulley lifts.')
})

test('a library without a readable page fails with the reason, and its old content is kept', async () => {
  const content = (n: number) => words(n * 100_000, 100_000)
  const heavy = Array.from({ length: 3 }, (_, n) => ({ id: 'https://example.com/heavy', content: content(n) }))
  const job = await imported({ project: '/long/docs', codeSnippets: [], infoSnippets: heavy })
  expect([job.state, job.error]).toEqual([
    'failed',
    'no_snippets_found: Nothing of this library can be read. "https://example.com/heavy" was skipped because it needs more than 32 MB of memory to parse. The old content stays.',
  ])
  expect(await ask('pulley', 'txt')).toContain('The pulley lifts.')
})
