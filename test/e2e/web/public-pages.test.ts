import { afterAll, afterEach, beforeAll, expect, test } from 'vitest'
import { type TestHosted, testHosted } from '../../fixtures/test-hosted.ts'
import { endVisits, visit } from '../../fixtures/web-visit.ts'

const row = (cell: string) => `|${`${cell}|`.repeat(40)}`
/** The README of somebody who wants to run scripts on the page, to see its readers or to break its layout. */
const hostile = `# Evil <script>window.hacked = 1</script>

<img src=x onerror="window.hacked = 1"> <svg onload="window.hacked = 1"></svg> <iframe src="https://evil.example"></iframe>

![pixel](https://tracker.example/pixel.gif) [click](javascript:window.hacked=1) <a href="javascript:window.hacked=1">here</a>

<style>body { display: none }</style><meta http-equiv="refresh" content="0;url=https://evil.example">

${[row('head'), row('-'), row('averyverylongcell')].join('\n')}

\`\`\`html
</code></pre><script>window.hacked = 1</script>
\`\`\`
`
const pages = [
  ['start', '/'],
  ['search', '/?q=widgets'],
  ['library', '/acme/widgets'],
  ['content', '/acme/widgets?page=README.md'],
  ['question', '/acme/widgets?q=turn+the+lever'],
  ['hostile', '/evil/readme?page=README.md'],
  ['terms', '/terms'],
  ['privacy', '/privacy'],
  ['takedown', '/takedown'],
  ['missing', '/nobody/nothing'],
] as const

let hosted: TestHosted
beforeAll(async () => {
  hosted = await testHosted()
  const widgets = '# ويدجت\n\nTurn the lever of widgets.\n\n```js\nturn("lever")\n```\n'
  await hosted.git.create('acme/widgets', { files: { 'README.md': widgets } })
  await hosted.git.create('evil/readme', { files: { 'README.md': hostile } })
  // Views of the other tests are counted late.
  await hosted.git.create('acme/counted', { files: { 'README.md': '# Counted\n\nTurn the lever.\n' } })
  for (const repo of ['acme/widgets', 'evil/readme', 'acme/counted']) await hosted.add(repo)
})
afterEach(endVisits)
afterAll(() => hosted.close())

const countedViews = async (library: string) => {
  const today = new Date().toISOString().slice(0, 10)
  return (await hosted.hosted.counters.read(library, today, today)).total.page
}

test.each(pages)(
  'the page %s is accessible in both themes and on a phone, and loads nothing from elsewhere',
  async (name, path) => {
    const { open, page, inspect, problems, context } = await visit(hosted)
    await open(path)
    for (const summary of await page.locator('summary').all()) await summary.click()
    await inspect(`public-${name}`)
    const expected = name === 'missing' ? [expect.stringContaining('404')] : []
    expect([problems, await context.cookies()]).toEqual([expected, []])
    expect(await page.evaluate('window.hacked')).toBeUndefined()
  },
)

test('pages can be used without scripts', async () => {
  const { context } = await visit(hosted)
  const plain = await context.browser()?.newContext({ javaScriptEnabled: false })
  const page = await plain?.newPage()
  if (!page) throw new Error('There is no browser.')
  await page.goto(hosted.url)
  await page.getByRole('searchbox', { name: 'Search libraries' }).fill('widgets')
  await page.getByRole('button', { name: 'Search' }).click()
  await page.getByRole('link', { name: 'ويدجت' }).click()
  await page.getByText('Codex', { exact: true }).click()
  await page.getByText('setup --base-url').filter({ visible: true }).waitFor()
  await page.getByText('Other ways').filter({ visible: true }).click()
  await page.getByText('~/.codex/config.toml').waitFor()
  await page.getByRole('textbox', { name: 'Question' }).fill('How do I turn the lever?')
  await page.getByRole('button', { name: 'Ask' }).click()
  await page.getByText('Turn the lever of widgets.').first().waitFor()
  expect(await page.getByRole('button', { name: 'Copy' }).count()).toBe(0)
})

test('a person asks for a removal without scripts, and corrects what is wrong', async () => {
  const { context } = await visit(hosted)
  const plain = await context.browser()?.newContext({ javaScriptEnabled: false })
  const page = await plain?.newPage()
  if (!page) throw new Error('There is no browser.')
  await page.goto(`${hosted.url}/acme/widgets`)
  await page.getByRole('link', { name: 'Have it removed' }).click()
  await page.getByLabel('Reason').fill('\nIt is mine.')
  await page.getByLabel('Contact').fill('ann@example')
  await page.getByRole('button', { name: 'Send' }).click()
  await page.getByRole('alert').waitFor()
  await page.getByLabel('Contact').fill('ann@example.com')
  await page.getByRole('button', { name: 'Send' }).click()
  await page.getByText('The operator decides about this request.').waitFor()
  const stored = { library: '/acme/widgets', reason: 'It is mine.', contact: 'ann@example.com' }
  expect(await hosted.run('listTakedowns', {})).toMatchObject([stored])
})

test('a page reports its view once, and an answered question counts once', async () => {
  const { open } = await visit(hosted)
  await open('/acme/counted')
  await expect.poll(() => countedViews('/acme/counted')).toBe(1)
  await open('/acme/counted?q=lever')
  await expect.poll(() => countedViews('/acme/counted')).toBe(2)
  await open('/')
  await open('/acme/counted?page=README.md')
  await expect.poll(() => countedViews('/acme/counted')).toBe(3)
})

test('a button copies code', async () => {
  const { open, page } = await visit(hosted)
  await open('/acme/widgets?page=README.md')
  await page.getByRole('article').getByRole('button', { name: 'Copy' }).click()
  expect(await page.evaluate(() => navigator.clipboard.readText())).toBe('turn("lever")')
})
