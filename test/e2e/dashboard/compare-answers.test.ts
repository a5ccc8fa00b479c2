import { afterAll, beforeAll, expect, test, vi } from 'vitest'
import type { Teamspace } from '../../../functions/access/teamspaces.ts'
import { personVisit } from '../../fixtures/dashboard-visit.ts'
import { page as markdown } from '../../fixtures/page.ts'
import { type TestDashboard, testDashboard } from '../../fixtures/test-dashboard.ts'
import { endVisits } from '../../fixtures/web-visit.ts'

let dashboard: TestDashboard
let acme: Teamspace

beforeAll(async () => {
  dashboard = await testDashboard()
  acme = await dashboard.teamspace('Acme', { dev: 'developer' })
  const dev = await dashboard.signIn('dev')
  const { git } = dashboard.hosted
  await git.create('acme/anvil', { files: { 'docs/use.md': markdown('Clean', 'Clean the anvil with oil.') } })
  await git.create('acme/brush', { files: { 'docs/use.md': markdown('Clean', 'Clean the brush with turpentine.') } })
  for (const name of ['acme/anvil', 'acme/brush']) {
    await dev.ask('POST', `/api/teamspaces/${acme.id}/libraries`, { repoUrl: `${git.url}/${name}` })
    const isDone = async () =>
      expect(await dashboard.hosted.run('progress', { library: `/${name}` })).toMatchObject({ active: false })
    await vi.waitFor(isDone, 60_000)
  }
})
afterAll(async () => {
  await endVisits()
  await dashboard.close()
})

test('the answers of two libraries of a teamspace are compared by keyboard, and the address shows the same', async () => {
  const { page, open, inspect, problems, close } = await personVisit(dashboard, 'dev')
  await open(`/teamspaces/${acme.id}/libraries/acme/anvil?tab=ask`)
  const question = page.getByRole('textbox', { name: 'Question' })
  expect(await page.getByRole('button', { name: 'Compare' }).count()).toBe(0)
  await question.fill('how do I clean it')
  await question.press('Enter')
  await page.getByText('Clean the anvil with oil.').waitFor()
  await page.getByRole('button', { name: 'Compare' }).focus()
  await page.keyboard.press('Enter')
  await page.getByText('Both answers are the same.').waitFor()
  const second = page.getByRole('group', { name: 'Second answer' })
  await second.getByRole('combobox', { name: 'Library or version' }).focus()
  await page.keyboard.type('brush')
  await page.keyboard.press('Enter')
  await second.getByText('Clean the brush with turpentine.').waitFor()
  await page.getByText('1 in both (1 changed)').waitFor()
  await second.getByRole('button', { name: 'Show changes' }).click()
  await second.locator('ins').getByText('turpentine').waitFor()
  for (const name of ['Vectors', 'Fast (no reranking)']) expect(await page.getByRole('checkbox', { name }).count()).toBe(0)
  await inspect('library-ask-compare')
  await page.reload()
  await page.getByText('1 in both (1 changed)').waitFor()
  expect(problems).toEqual([])
  await close()
})
