import { readFileSync } from 'node:fs'
import { afterAll, beforeAll, expect, test, vi } from 'vitest'
import type { Teamspace } from '../../../functions/access/teamspaces.ts'
import { personVisit } from '../../fixtures/dashboard-visit.ts'
import { page as markdown } from '../../fixtures/page.ts'
import { type TestDashboard, testDashboard } from '../../fixtures/test-dashboard.ts'
import { endVisits } from '../../fixtures/web-visit.ts'

let dashboard: TestDashboard
let acme: Teamspace
let key: string
beforeAll(async () => {
  dashboard = await testDashboard()
  const { hosted } = dashboard
  acme = await dashboard.teamspace('Acme', { ann: 'owner', dave: 'developer' })
  key = (await hosted.keyOf('Acme')).key
  for (const repo of ['acme/widgets', 'acme/gears', 'other/tools']) {
    const project = JSON.stringify({ previousVersions: [{ tag: 'v1' }] })
    const files = { 'README.md': markdown('Guide', 'Turn the lever.'), 'carrel.json': project }
    await hosted.git.create(repo, { files, tags: ['v1'] })
    expect(await hosted.add(repo)).toMatchObject({ state: 'finalized' })
  }
  for (const library of ['/acme/widgets', '/acme/gears']) await hosted.run('own', { library, teamspace: 'Acme' })
})
afterAll(async () => {
  await endVisits()
  await dashboard.close()
})

/** Asks as a client does, through the path that counts. */
const ask = (libraryId: string, headers: Record<string, string> = {}) =>
  dashboard.hosted.get(`/api/v2/context?${new URLSearchParams({ libraryId, query: 'turn the lever' })}`, headers)

const cursor = (address: string) => ({
  'x-carrel-source': 'mcp',
  'x-carrel-client-ide': 'Cursor',
  'cloudfront-viewer-address': `${address}:99`,
  'cloudfront-viewer-country': 'DE',
})

test('a member sees the usage of all libraries and of one, with the figures of the requests that were sent', async () => {
  for (const address of ['10.1.1.1', '10.1.1.2', '10.1.1.2']) await ask('/acme/widgets', cursor(address))
  await ask('/acme/widgets@v1', { 'x-carrel-source': 'cli', 'cloudfront-viewer-country': 'SG' })
  await ask('/acme/widgets', { 'x-carrel-source': 'web' })
  await ask('/acme/gears', { 'cloudfront-viewer-country': 'US' })
  await ask('/other/tools', { 'cloudfront-viewer-country': 'FR' })
  const dave = await dashboard.signIn('dave')
  type Usage = { period: { total: number; mcpUsersPerDay: number }; topics: object[]; countries: object[] }
  await vi.waitFor(async () => {
    const { body } = await dave.ask<Usage>('GET', `/api/teamspaces/${acme.id}/usage`)
    expect([body.period.total, body.period.mcpUsersPerDay, body.countries.length]).toEqual([6, 2, 3])
  }, 60_000)

  const { page, open, inspect, problems } = await personVisit(dashboard, 'dave')
  await open(`/teamspaces/${acme.id}/usage`)
  await page.getByRole('img', { name: /6 in total/ }).waitFor()
  await page.getByRole('region', { name: 'Surfaces' }).getByRole('row', { name: 'MCP 3 – 3' }).waitFor()
  await page.getByRole('region', { name: 'Surfaces' }).getByRole('row', { name: 'Command line 1 – 1' }).waitFor()
  await page.getByRole('region', { name: 'MCP clients' }).getByRole('row', { name: 'cursor 2 2' }).waitFor()
  await page.getByRole('region', { name: 'Countries' }).getByRole('row', { name: 'Germany 3' }).waitFor()
  await page.getByRole('img', { name: 'A map of the countries in the table' }).waitFor()
  const level = (country: string) => page.locator(`[data-country="${country}"]`).getAttribute('data-level')
  expect(await Promise.all(['DE', 'SG', 'US', 'FR'].map(level))).toEqual(['5', '1', '1', '0'])
  await page
    .getByRole('region', { name: 'Questions' })
    .getByRole('img', { name: /of 6 answered/ })
    .waitFor()
  await page
    .getByRole('region', { name: 'Answer time' })
    .getByRole('img', { name: /95% within [\d.]+ m?s/ })
    .waitFor()
  await page
    .getByRole('region', { name: 'Topics' })
    .getByText(/^Of all time/)
    .waitFor()
  await inspect('usage-team')

  await page
    .getByRole('region', { name: 'Libraries' })
    .getByRole('row', { name: 'Guide (/acme/widgets) 5 3' })
    .getByRole('link')
    .click()
  await page.waitForURL(/libraries\/acme\/widgets\?tab=usage/)
  await page.getByRole('img', { name: /5 in total/ }).waitFor()
  await inspect('usage-library')
  const [download] = await Promise.all([
    page.waitForEvent('download'),
    page.getByRole('button', { name: 'Download CSV' }).click(),
  ])
  expect(download.suggestedFilename()).toMatch(/^carrel-usage-acme-widgets-.*\.csv$/)
  const today = new Date().toISOString().slice(0, 10)
  expect(readFileSync(await download.path(), 'utf8')).toContain(`requests,${today},,3,1,1,0,5\r\n`)

  await page.getByRole('combobox', { name: 'Version' }).selectOption('v1')
  await page.getByRole('img', { name: /1 in total/ }).waitFor()
  await page.getByText('90 days', { exact: true }).click()
  await page.waitForURL(/version=v1.*days=90|days=90.*version=v1/)
  const call = page.locator('pre', { hasText: 'libs/metrics' })
  await call.getByText('days=90').waitFor()
  const url = /"(http[^"]+)"$/.exec((await call.innerText()).trim())?.[1] ?? ''
  const answer = await fetch(url, { headers: { authorization: `Bearer ${key}` } })
  expect(await answer.json()).toMatchObject({ total: { page: 0, txt: 0, mcp: 0, cli: 1 } })
  expect(problems).toEqual([])
})

test('the usage of a library of others is not shown, and that of a quiet teamspace says so', async () => {
  const { page, open, inspect, problems } = await personVisit(dashboard, 'ann')
  await open(`/teamspaces/${acme.id}/libraries/other/tools?tab=usage`)
  await page.getByText('/other/tools is not owned by this teamspace.').waitFor()
  await page.getByRole('link', { name: 'Show ownership' }).click()
  await page.getByRole('button', { name: 'Claim ownership' }).waitFor()
  const quiet = await dashboard.teamspace('Quiet', { ann: 'owner' })
  await open(`/teamspaces/${quiet.id}/usage`)
  await page.getByRole('heading', { name: 'No requests yet' }).waitFor()
  await inspect('usage-quiet')
  await page.getByRole('link', { name: 'Show libraries' }).click()
  await page.getByRole('heading', { name: 'Libraries', exact: true }).waitFor()
  expect(problems.filter((each) => !/status of 403/.test(each))).toEqual([])
})
