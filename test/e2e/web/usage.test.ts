import { readFileSync } from 'node:fs'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { page as markdown } from '../../fixtures/page.ts'
import { type TestInstall, testInstall } from '../../fixtures/test-install.ts'
import { until } from '../../fixtures/until.ts'
import { adminVisit, endVisits } from '../../fixtures/web-visit.ts'

let install: TestInstall
beforeAll(async () => {
  install = await testInstall()
  await install.git.create('acme/anvil', { files: { 'README.md': markdown('Anvil', 'The anvil weighs a ton.') } })
  await install.git.create('acme/quiet', { files: { 'README.md': markdown('Quiet', 'Nothing is asked here.') } })
  await install.parse('acme/anvil')
  await install.parse('acme/quiet')
})
afterAll(async () => {
  await endVisits()
  await install.close()
})

const ask = (headers: Record<string, string> = {}, query = 'anvil weighs a ton') =>
  install.ask(`/api/v2/context?${new URLSearchParams({ libraryId: '/acme/anvil', query })}`, { headers })

test('usage is shown by surface, client and library, and downloaded', async () => {
  for (const user of ['one', 'two', 'three'])
    await ask({ 'x-carrel-source': 'mcp', 'x-carrel-client-ide': 'Cursor', 'user-agent': user })
  await ask({ 'x-context7-source': 'cli' })
  await ask({ 'x-carrel-source': 'web' })
  await ask()
  await ask({}, 'zzzz qqqq')
  await until(async () => {
    const { body } = await install.call('GET', '/api/usage')
    const { period } = body as { period: { total: number; questions: number } }
    return period.total === 6 && period.questions === 7
  })
  const { page, open, inspect, problems, close } = await adminVisit(install)
  await open('/usage')
  await page.getByRole('img', { name: /6 in total/ }).waitFor()
  await page.getByRole('region', { name: 'MCP clients' }).getByText('cursor').waitFor()
  await page.getByText(/^No data before/).waitFor()
  const requests = page.getByRole('img', { name: /6 in total/ })
  await requests.locator('.recharts-bar-rectangle path').first().waitFor()
  expect(await requests.locator('.recharts-bar-rectangle path').count()).toBe(4)
  const questions = page.getByRole('region', { name: 'Questions' })
  await questions.getByRole('img', { name: /86% of 7 answered/ }).waitFor()
  await questions.getByText('Nothing found 1').waitFor()
  await page
    .getByRole('region', { name: 'Answer time' })
    .getByRole('img', { name: /95% within [\d.]+ m?s/ })
    .waitFor()
  await page.locator('.recharts-reference-area').nth(2).waitFor()
  await inspect('usage')
  const [download] = await Promise.all([
    page.waitForEvent('download'),
    page.getByRole('button', { name: 'Download CSV' }).click(),
  ])
  expect(download.suggestedFilename()).toMatch(/^carrel-usage-all-.*\.csv$/)
  expect(readFileSync(await download.path(), 'utf8')).toContain('library,,/acme/anvil,3,1,1,1,6')
  await page.getByRole('region', { name: 'Topics' }).getByText('By the pages that answered', { exact: true }).waitFor()
  await page.getByText('7 days', { exact: true }).click()
  await page.waitForURL(/days=7/)
  await page.goBack()
  await page.getByRole('region', { name: 'Libraries' }).getByRole('link', { name: 'Anvil' }).click()
  await page.waitForURL(/libraries\/acme\/anvil\?tab=usage/)
  await page.getByRole('img', { name: /6 in total/ }).waitFor()
  await inspect('library-usage')
  await open('/usage?library=%2Facme%2Fquiet')
  await page.getByRole('heading', { name: 'No requests yet' }).waitFor()
  await inspect('usage-empty')
  expect(problems).toEqual([])
  await open('/usage?library=%2Facme%2Fnone')
  await page.getByText('The usage cannot be loaded').waitFor()
  await close()
})
