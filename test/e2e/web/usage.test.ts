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
    return (body as { period: { total: number } }).period.total === 6
  })
  const { page, open, inspect, problems, close } = await adminVisit(install)
  await open('/usage')
  await page.getByRole('img', { name: /6 in total/ }).waitFor()
  await page.getByRole('region', { name: 'MCP clients' }).getByText('cursor').waitFor()
  await page.getByText(/^No data before/).waitFor()
  await page.locator('.recharts-bar-rectangle path').first().waitFor()
  expect(await page.locator('.recharts-bar-rectangle path').count()).toBe(4)
  expect(await page.locator('.recharts-reference-area').count()).toBe(1)
  await inspect('usage')
  const [download] = await Promise.all([
    page.waitForEvent('download'),
    page.getByRole('button', { name: 'Download CSV' }).click(),
  ])
  expect(download.suggestedFilename()).toMatch(/^carrel-usage-all-.*\.csv$/)
  expect(readFileSync(await download.path(), 'utf8')).toContain('library,,/acme/anvil,3,1,1,1,6')
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
