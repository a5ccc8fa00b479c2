import { afterAll, beforeAll, expect, test } from 'vitest'
import { page as markdown } from '../../fixtures/page.ts'
import { aiOf, features, testEmbedder } from '../../fixtures/test-embedder.ts'
import { type TestInstall, testInstall } from '../../fixtures/test-install.ts'
import { adminVisit, endVisits } from '../../fixtures/web-visit.ts'

let install: TestInstall
beforeAll(async () => {
  const embedder = testEmbedder({ model: 'test/playground', toVector: (text) => features(text, 64) })
  install = await testInstall({ openAi: () => aiOf(() => embedder) })
  await install.git.create('acme/anvil', {
    files: {
      'README.md': markdown('Anvil', 'The anvil weighs a ton.\n\n```js\nconst anvil = weigh()\n```', 'It is made of iron.'),
      'docs/use.md': markdown('Use', 'Clean the anvil before. Use it with a hammer.'),
    },
  })
  await install.git.create('acme/brush', { files: { 'README.md': markdown('Brush', 'Clean the brush with turpentine.') } })
  for (const library of ['acme/anvil', 'acme/brush']) {
    await install.parse(library)
    await install.embedded(library)
  }
})
afterAll(async () => {
  await endVisits()
  await install.close()
})

test('a question shows what an agent gets and why, compares two settings, and can be copied', async () => {
  const { page, open, inspect, problems, close } = await adminVisit(install)
  await open('/playground')
  await page.getByText('No question yet').waitFor()
  await page.getByRole('combobox', { name: 'Libraries' }).click()
  await page.getByRole('option', { name: '/acme/anvil' }).click()
  await page.getByRole('textbox', { name: 'Question' }).fill("what's the weight of an anvil")
  await page.getByRole('button', { name: 'Ask' }).click()
  await page.getByText('The anvil weighs a ton.').waitFor()
  await page.getByRole('button', { name: /#1/ }).click()
  await page.getByText('as number 1').first().waitFor()
  await inspect('playground')
  const question = new URLSearchParams({ libraryId: '/acme/anvil', query: "what's the weight of an anvil" })
  const expected = await (await install.ask(`/api/v2/context?${question}`)).text()
  await page.getByText('Text', { exact: true }).click()
  expect(await page.locator('pre').first().innerText()).toBe(expected)
  await inspect('playground-text')
  await page.getByText('JSON', { exact: true }).click()
  await page.locator('pre .hljs-attr').first().waitFor()
  expect(await page.locator('pre').first().innerText()).not.toContain('explain')
  await page.getByText('Rendered', { exact: true }).click()
  await page.getByRole('button', { name: 'Compare' }).click()
  await page.getByRole('checkbox', { name: 'Vectors' }).nth(1).uncheck()
  await page.getByText(/By words ·/).waitFor()
  await inspect('playground-compare')
  await page.reload()
  await page.getByText(/By words ·/).waitFor()
  await page.getByRole('button', { name: 'Copy as' }).first().click()
  await page.getByRole('menuitem', { name: 'carrel ask' }).click()
  expect(await page.evaluate(() => navigator.clipboard.readText())).toBe(
    String.raw`carrel ask '/acme/anvil' 'what'\''s the weight of an anvil'`,
  )
  expect(problems).toEqual([])
  await close()
})

test('a question to two libraries gets the answer of each, and one that fails keeps the other', async () => {
  const { page, open, inspect, problems, close } = await adminVisit(install)
  await open('/playground')
  await page.getByRole('combobox', { name: 'Libraries' }).click()
  for (const name of ['/acme/anvil', '/acme/brush']) await page.getByRole('option', { name }).click()
  await page.keyboard.press('Escape')
  await page.getByRole('textbox', { name: 'Question' }).fill('how do I clean it')
  await page.getByRole('button', { name: 'Ask' }).click()
  await page.getByRole('region', { name: 'Answer of /acme/anvil' }).getByText('Use it with a hammer.').waitFor()
  await page.getByRole('region', { name: 'Answer of /acme/brush' }).getByText('Clean the brush with turpentine.').waitFor()
  await inspect('playground-libraries')
  await open(`/playground?${new URLSearchParams({ libraries: '["/acme/none","/acme/brush"]', question: 'how do I clean it' })}`)
  await page.getByRole('alert').getByText('/acme/none is not in this install').waitFor()
  await page.getByText('Clean the brush with turpentine.').waitFor()
  expect(problems.filter((each) => !each.includes('404'))).toEqual([])
  await close()
})

test('a library is chosen with the keyboard, the answer is announced and marked, and the question keeps the focus', async () => {
  const { page, open, problems, close } = await adminVisit(install)
  await open('/playground')
  await page.getByText('Choose a library to ask.').waitFor()
  expect(await page.getByRole('button', { name: 'Ask' }).isDisabled()).toBe(true)
  const libraries = page.getByRole('combobox', { name: 'Libraries' })
  const question = page.getByRole('textbox', { name: 'Question' })
  await libraries.pressSequentially('brus')
  await page.getByRole('option', { name: '/acme/brush' }).waitFor()
  await libraries.press('Enter')
  await page.getByText('Write a question to ask.').waitFor()
  expect(await question.evaluate((input) => input === document.activeElement)).toBe(true)
  await question.fill('x'.repeat(10_000))
  await page.getByText('A question has at most 500 characters. This one has 10,000.').waitFor()
  await question.fill('how do I clean it')
  await page.keyboard.press('Enter')
  await page
    .getByRole('status')
    .getByText(/^1 snippet, \d+ tokens$/)
    .waitFor()
  expect(await question.evaluate((input) => input === document.activeElement)).toBe(true)
  await page.waitForFunction(() => [...(CSS.highlights.get('matched-words') ?? [])].map(String).includes('Clean'))
  expect(new URL(page.url()).search).toBe('?libraries=%2Facme%2Fbrush&question=how+do+I+clean+it')
  await open('/playground')
  await page.getByText('Write a question to ask.').waitFor()
  await page.getByText('/acme/brush', { exact: true }).first().waitFor()
  expect(problems).toEqual([])
  await close()
})

test('two libraries are compared, and each snippet says where the other answer has it', async () => {
  const { page, open, inspect, problems, close } = await adminVisit(install)
  await open(`/playground?${new URLSearchParams({ libraries: '/acme/anvil', question: 'how do I clean it' })}`)
  await page.getByRole('button', { name: 'Compare' }).click()
  await page.getByText('Both answers are the same.').waitFor()
  const second = page.getByRole('combobox', { name: 'Library or version' })
  await second.fill('brush')
  await page.getByRole('option', { name: '/acme/brush' }).click()
  await page.getByText(/^0 in both, \d+ only in the first, 1 only in the second$/).waitFor()
  await page.getByRole('region', { name: 'Answer of /acme/brush' }).getByText('Only in this answer').waitFor()
  await inspect('playground-compare-libraries')
  expect(problems).toEqual([])
  await close()
})

test('a question to all libraries gets one answer', async () => {
  const { page, open, problems, close } = await adminVisit(install)
  await open('/playground')
  await page.getByRole('combobox', { name: 'Libraries' }).click()
  await page.getByRole('option', { name: 'All libraries' }).click()
  await page.keyboard.press('Escape')
  await page.getByRole('textbox', { name: 'Question' }).fill('clean the brush with turpentine')
  await page.getByRole('button', { name: 'Ask' }).click()
  await page.getByRole('region', { name: 'Answer of all libraries' }).getByText('Clean the brush with turpentine.').waitFor()
  expect(problems).toEqual([])
  await close()
})

test('a question without a match shows the message of the API', async () => {
  const { page, open, problems, close } = await adminVisit(install)
  await open(`/playground?${new URLSearchParams({ libraries: '["/acme/none"]', question: 'x' })}`)
  await page.getByRole('alert').getByText('/acme/none is not in this install').waitFor()
  expect(problems.filter((each) => !each.includes('404'))).toEqual([])
  await close()
})
