import { afterAll, beforeAll, expect, test } from 'vitest'
import type { ContextAnswer } from '../../../shared/api/context.ts'
import { page as markdown } from '../../fixtures/page.ts'
import { type TestInstall, testInstall } from '../../fixtures/test-install.ts'
import { adminVisit, endVisits, type Visit } from '../../fixtures/web-visit.ts'

let install: TestInstall
beforeAll(async () => {
  install = await testInstall()
  await install.git.create('acme/anvil', { files: { 'README.md': markdown('Anvil', 'The anvil weighs a ton.') } })
  await install.parse('acme/anvil')
})
afterAll(async () => {
  await endVisits()
  await install.close()
})

const asked = (question: string) => `/playground?${new URLSearchParams({ libraries: '/acme/anvil', question })}`

test('a question without an answer is no error, and is announced', async () => {
  const { page, open, inspect, problems, close } = await adminVisit(install)
  await open(asked('zzzz qqqq'))
  await page
    .getByRole('status')
    .getByText(/Nothing in \/acme\/anvil matches this question/)
    .waitFor()
  expect(await page.getByRole('alert').count()).toBe(0)
  await inspect('playground-nothing')
  expect(problems.filter((each) => !each.includes('404'))).toEqual([])
  await close()
})

test('a question of 10,000 characters in an address is not asked, and the page says why', async () => {
  const { page, context, open, problems, close } = await adminVisit(install)
  const questions: string[] = []
  context.on('request', (request) => void (request.url().includes('/v2/context') && questions.push(request.url())))
  await open(asked('y'.repeat(10_000)))
  await page.getByText('A question has at most 500 characters. This one has 10,000.').waitFor()
  expect(await page.getByRole('button', { name: 'Compare' }).count()).toBe(0)
  expect(questions).toEqual([])
  expect(problems).toEqual([])
  await close()
})

test('a hostile question is text on the page', async () => {
  const { page, open, problems, close } = await adminVisit(install)
  const hostile = `anvil "><img src=x onerror=alert(1)> \${7*7} {{x}} '; DROP TABLE libraries; -- %00 \u202e../../etc`
  await open(asked(hostile))
  await page.getByText('The anvil weighs a ton.').waitFor()
  expect(await page.getByRole('textbox', { name: 'Question' }).inputValue()).toBe(hostile)
  expect(problems).toEqual([])
  await close()
})

test('a question works if the storage of the browser is blocked', async () => {
  const { page, context, open, problems, close } = await adminVisit(install)
  await context.addInitScript(() => {
    const blocked = {
      get: () => {
        throw new DOMException('The storage is blocked.', 'SecurityError')
      },
    }
    Object.defineProperty(window, 'localStorage', blocked)
    Object.defineProperty(window, 'sessionStorage', blocked)
  })
  await open('/playground')
  const question = page.getByRole('textbox', { name: 'Question' })
  await question.fill('the weight of the anvil')
  await question.press('Enter')
  await page.getByText('The anvil weighs a ton.').waitFor()
  expect(problems).toEqual([])
  await close()
})

test('a question that the server does not answer is asked again on request, and keeps its words', async () => {
  const { page, context, open, close } = await adminVisit(install)
  await open('/playground')
  await context.route('**/api/v2/context*', (route) => route.abort('connectionrefused'))
  const question = page.getByRole('textbox', { name: 'Question' })
  await question.fill('the weight of the anvil')
  await question.press('Enter')
  const failure = page.getByRole('alert').filter({ hasText: 'Carrel cannot be reached' })
  await failure.waitFor()
  expect(await question.inputValue()).toBe('the weight of the anvil')
  await context.unroute('**/api/v2/context*')
  await failure.getByRole('button', { name: 'Try again' }).click()
  await page.getByText('The anvil weighs a ton.').waitFor()
  await close()
})

const hostile = [
  '<script>window.harmed = true</script> <img src="https://example.com/x.png" onerror="window.harmed = true">',
  '[run](javascript:window.harmed=true) [data](data:text/html,x) ![picture](https://example.com/track.png)',
  '<a href="javascript:window.harmed=true">here</a> \u202egnp.exe\u202c\u2066',
].join('\n\n')

/** Answers each question with one snippet. */
const answerWith = ({ context }: Visit, content: string) =>
  context.route('**/api/v2/context*', (route) => {
    const explain = { legs: { text: 1 }, score: 1, words: ['anvil'], pageScore: 1 }
    const snippet = { breadcrumb: `Anvil \u202e<b>`, content, contentTokens: 5, rank: 1, explain }
    const json: ContextAnswer = {
      codeSnippets: [],
      infoSnippets: [{ ...snippet, pageId: 'javascript:alert(1)//' }],
      text: content,
    }
    return route.fulfill({ json })
  })

test('documentation of strangers runs nothing, loads nothing and opens nothing', async () => {
  const visit = await adminVisit(install)
  const { page, open, problems, close } = visit
  await answerWith(visit, hostile)
  await open(asked('anvil'))
  await page.getByRole('button', { name: /#1/ }).click()
  await page.getByText('<script>').waitFor()
  await page.getByText('[image: picture]').waitFor()
  const links = await page
    .getByRole('region', { name: 'Answer of' })
    .locator('a')
    .evaluateAll((all) => all.map(String))
  expect(links).toEqual([])
  expect(await page.evaluate(() => 'harmed' in window)).toBe(false)
  expect(problems).toEqual([])
  await close()
})

test.each([
  ['of a megabyte', 'The anvil is heavy. '.repeat(52_000)],
  ['with 20,000 nested quotations', `${'>'.repeat(20_000)} anvil`],
])('a snippet %s is shown, and the page still answers', async (_, content) => {
  const visit = await adminVisit(install)
  const { page, open, problems, close } = visit
  await answerWith(visit, content)
  await open(asked('anvil'))
  await page.getByRole('button', { name: /#1/ }).click()
  await page.getByText('as number 1').waitFor()
  await page.getByRole('region', { name: 'Answer of' }).getByText('anvil').first().waitFor()
  expect(problems).toEqual([])
  await close()
})
