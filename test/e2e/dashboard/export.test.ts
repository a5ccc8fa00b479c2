import { join } from 'node:path'
import { afterAll, beforeAll, expect, test } from 'vitest'
import type { Teamspace } from '../../../functions/access/teamspaces.ts'
import { personVisit } from '../../fixtures/dashboard-visit.ts'
import { tempDir } from '../../fixtures/temp-dir.ts'
import { type TestDashboard, testDashboard } from '../../fixtures/test-dashboard.ts'
import { type TestInstall, testInstall } from '../../fixtures/test-install.ts'
import { adminVisit, endVisits, type Visit } from '../../fixtures/web-visit.ts'

const dayMs = 86_400_000
const long = 'sprockets-for-every-machine-of-the-last-forty-years'
const names = ['widgets', 'gadgets', long]

let dashboard: TestDashboard
let install: TestInstall

beforeAll(async () => {
  ;[dashboard, install] = await Promise.all([testDashboard(), testInstall()])
  for (const name of names) {
    const files = { 'README.md': `# ${name}\n\nTurn the lever of ${name} to open the gate.\n` }
    await dashboard.hosted.git.create(`acme/${name}`, { files })
    await dashboard.hosted.add(`acme/${name}`)
  }
  await licensed('Acme', { dev: 'developer', ann: 'owner' })
})
afterAll(async () => {
  await endVisits()
  await Promise.all([dashboard?.close(), install?.close()])
})

/** A teamspace with an offline license of the same name, which is valid for a day. */
async function licensed(name: string, members: Parameters<TestDashboard['teamspace']>[1]): Promise<Teamspace> {
  const team = await dashboard.teamspace(name, members)
  const expiresAt = new Date(Date.now() + dayMs).toISOString()
  await dashboard.hosted.run('recordLicense', {
    id: `${name}-1`,
    customer: 'Acme Ltd',
    kind: 'offline',
    teamspace: name,
    expiresAt,
  })
  return team
}

const api = (team: Teamspace, path: string) => `/api/teamspaces/${team.id}${path}`
const exportPage = (team: Teamspace) => `/teamspaces/${team.id}/export`

const chips = ({ page }: Visit) => page.getByRole('list', { name: 'Selected libraries' }).getByRole('listitem')

async function add({ page }: Visit, name: string) {
  await page.getByRole('textbox', { name: 'Search by name' }).fill(name)
  await page.getByRole('button', { name: `Add /acme/${name}` }).click()
  await page.getByRole('button', { name: `Added: /acme/${name}` }).waitFor()
}

/** Clicks a button and stores the file that the browser downloads. */
async function downloaded({ page }: Visit, button: string): Promise<{ name: string; path: string }> {
  const [download] = await Promise.all([page.waitForEvent('download'), page.getByRole('button', { name: button }).click()])
  const path = join(tempDir(), download.suggestedFilename())
  await download.saveAs(path)
  return { name: download.suggestedFilename(), path }
}

test('a selection over three searches and a reload is downloaded, and an install that imports it answers from it', async () => {
  const visit = await personVisit(dashboard, 'dev')
  const { page, open, inspect, problems } = visit
  await open('/account')
  await page.getByRole('list', { name: 'More' }).getByRole('link', { name: 'Export Libraries' }).click()
  await page.getByText('Nothing is selected').waitFor()
  await inspect('export-empty')
  await add(visit, 'widgets')
  await add(visit, 'gadgets')
  await page.reload()
  await expect.poll(() => chips(visit).count()).toBe(2)
  await add(visit, long)
  await page.getByText('3 of 50').waitFor()
  await page.getByText('of 100 MB').waitFor()
  await page.getByRole('button', { name: 'Remove /acme/gadgets' }).click()
  await expect.poll(() => chips(visit).allInnerTexts()).toEqual(['/acme/widgets', `/acme/${long}`])
  await inspect('export-selection')

  const zip = await downloaded(visit, 'Download selected')
  expect(zip.name).toBe('service-libraries.zip')
  await page.getByText('service-libraries.zip is built').waitFor()
  await page.getByRole('row', { name: /acme\/widgets, \/acme\/sprockets-.*Current/ }).waitFor()
  await page.getByRole('row', { name: /Acme-1.*Acme Ltd.*Valid/ }).waitFor()
  await inspect('export-built')
  expect(problems).toEqual([])
  await visit.close()

  const importing = await adminVisit(install)
  await importing.open('/add?from=bundle')
  await importing.page.locator('input[type=file]').setInputFiles(zip.path)
  await importing.page.getByRole('button', { name: 'Import', exact: true }).click()
  await importing.page.getByRole('heading', { name: '2 libraries queued' }).waitFor()
  await expect.poll(async () => (await install.json('/api/parse-status')).body).toEqual({ activeParses: {} })
  const answer = await install.ask(`/api/v2/context?libraryId=/acme/${long}&query=turn+the+lever`)
  expect(await answer.text()).toContain(`Turn the lever of ${long}`)
  expect((await install.ask('/api/v2/context?libraryId=/acme/gadgets&query=turn+the+lever')).status).toBe(404)
  await importing.close()
})

test('a saved selection is built again with one click, and shows what has changed since', async () => {
  const team = await licensed('Saver', { dev: 'developer' })
  const visit = await personVisit(dashboard, 'dev')
  const { page, open, inspect } = visit
  await open(exportPage(team))
  await add(visit, 'widgets')
  await add(visit, 'gadgets')
  await page.getByRole('textbox', { name: 'Save under a name' }).fill('Air gap')
  await page.getByRole('button', { name: 'Save', exact: true }).click()
  await page.getByText('Saved as Air gap.').waitFor()
  const row = page.getByRole('listitem').filter({ hasText: 'Air gap' })
  await row.getByText('2 libraries, never built').waitFor()
  await downloaded(visit, 'Build')
  await row.getByText('nothing changed since').waitFor()

  await dashboard.hosted.git.commit('acme/gadgets', { files: { 'more.md': '# More\n\nPull the chain.\n' } })
  await dashboard.hosted.run('refresh', { library: '/acme/gadgets' })
  await expect.poll(() => dashboard.hosted.run('progress', { library: '/acme/gadgets' })).toMatchObject({ active: false })
  await add(visit, long)
  await page.getByRole('button', { name: 'Remove /acme/widgets' }).click()
  await expect.poll(() => chips(visit).count()).toBe(2)
  await page.getByRole('textbox', { name: 'Save under a name' }).fill('air gap')
  await page.getByText('Replaces Air gap, which has 2 libraries.').waitFor()
  await page.getByRole('button', { name: 'Replace' }).click()
  const renamed = page.getByRole('listitem').filter({ hasText: 'air gap' })
  await renamed.getByText('1 changed, 1 new, 1 removed').waitFor()
  await renamed.getByRole('button', { name: 'Show libraries' }).click()
  const marked = page.getByRole('list', { name: 'Libraries of air gap' }).getByRole('listitem')
  expect(await marked.allInnerTexts()).toEqual([
    expect.stringMatching(/gadgets\s+changed/),
    expect.stringMatching(/sprockets-.*\s+new/),
    expect.stringMatching(/widgets\s+removed/),
  ])
  await inspect('export-saved')
  await downloaded(visit, 'Build again')
  await renamed.getByText('nothing changed since').waitFor()
  await renamed.getByRole('button', { name: 'Delete' }).click()
  await page.getByRole('dialog').getByRole('button', { name: 'Delete' }).click()
  await page.getByText('None yet. Save a selection').waitFor()
  await visit.close()
})

test('two tabs that edit the selection lose nothing, and the later one shows what the other has changed', async () => {
  const team = await licensed('Tabs', { dev: 'developer', ann: 'owner' })
  const [mine, hers] = await Promise.all([personVisit(dashboard, 'dev'), personVisit(dashboard, 'ann')])
  await mine.open(exportPage(team))
  await hers.open(exportPage(team))
  await add(mine, 'widgets')
  await add(hers, 'gadgets')
  await hers.page.getByText('Added: /acme/widgets. Your change was made over theirs.').waitFor()
  await expect.poll(() => chips(hers).allInnerTexts()).toEqual(['/acme/widgets', '/acme/gadgets'])
  await mine.page.getByRole('button', { name: 'Remove /acme/widgets' }).click()
  await mine.page.getByText('Added: /acme/gadgets. Your change was made over theirs.').waitFor()
  await expect.poll(() => chips(mine).allInnerTexts()).toEqual(['/acme/gadgets'])
  await mine.inspect('export-others')

  const save = async ({ page }: Visit, button: string) => {
    await page.getByRole('textbox', { name: 'Save under a name' }).fill('Shared')
    await page.getByRole('button', { name: button, exact: true }).click()
  }
  await save(hers, 'Save')
  await hers.page.getByText('Saved as Shared.').waitFor()
  await mine.page.reload()
  await mine.page.getByText('2 libraries, never built').waitFor()
  await add(hers, long)
  await save(hers, 'Replace')
  await hers.page.getByText('Saved as Shared.').waitFor()
  await save(mine, 'Replace')
  await mine.page.getByRole('alert').getByText('libraries changed since this state was read').waitFor()
  await mine.page.getByRole('button', { name: 'Replace' }).click()
  await mine.page.getByText('Saved as Shared.').waitFor()
  await Promise.all([mine.close(), hers.close()])
})

test('a rejection of the API is shown in its words next to the button, and the selection stays', async () => {
  const team = await licensed('Limits', { dev: 'developer' })
  const dev = await dashboard.signIn('dev')
  const put = (libraries: string[]) => dev.ask('PUT', api(team, '/selections/current'), { name: 'Current selection', libraries })
  await put(Array.from({ length: 50 }, (_, n) => `/acme/lib${n}`))
  const visit = await personVisit(dashboard, 'dev')
  const { page, open, inspect } = visit
  const alert = page.getByRole('alert')
  await open(exportPage(team))
  await page.getByText('50 of 50').waitFor()
  await page.getByRole('textbox', { name: 'Search by name' }).fill('widgets')
  await page.getByRole('button', { name: 'Add /acme/widgets' }).click()
  await alert.getByText('51 libraries are too many: a zip has at most 50.').waitFor()
  await inspect('export-limit')
  await page.getByRole('button', { name: 'Download selected' }).click()
  await alert.getByText('There is no public library /acme/lib0 to export').waitFor()

  await put(['/acme/widgets'])
  await page.reload()
  const { bundles } = dashboard.hosted.hosted
  for (const _ of [1, 2]) {
    const { body } = await dev.ask<{ id: string }>('POST', api(team, '/exports'), { libraries: ['/acme/widgets'] })
    await expect.poll(async () => (await bundles.find(body.id))?.state.state).toBe('built')
    await bundles.write(body.id, { state: 'building', done: 1, total: 2 })
  }
  await page.getByRole('button', { name: 'Download selected' }).click()
  await alert.getByText('2 exports of this teamspace are being built. Wait until one is done.').waitFor()
  await page.reload()
  await page.getByText('Building the zip: 1 of 2 versions').first().waitFor()
  await inspect('export-building')

  for (const { id } of (await dev.ask<{ exports: { id: string }[] }>('GET', api(team, '/exports'))).body.exports)
    await bundles.write(id, { state: 'failed', code: 'temporarily_unavailable', message: 'It was stopped.' })
  // The page would ask for these again, and show the answer that is meant for the next one.
  await page.getByText('Building the zip: 1 of 2 versions').first().waitFor({ state: 'detached' })
  const tooLarge = 'The zip would have 120000000 bytes; the limit is 104857600. Choose fewer libraries or versions.'
  await page.route('**/exports/*', async (route) => {
    const id = route.request().url().split('/').at(-1) ?? ''
    await expect.poll(async () => (await bundles.find(id))?.state.state).not.toBe('building')
    await bundles.write(id, { state: 'failed', code: 'payload_too_large', message: tooLarge })
    await route.continue()
  })
  await page.getByRole('button', { name: 'Download selected' }).click()
  await alert.getByText(tooLarge).waitFor()
  await page.getByText(`Failed: ${tooLarge}`).first().waitFor()
  await page.unroute('**/exports/*')

  await dashboard.hosted.run('revokeLicense', { id: 'Limits-1' })
  await page.getByRole('button', { name: 'Download selected' }).click()
  await alert.getByText('Exports require a valid offline license').first().waitFor()
  expect(await chips(visit).allInnerTexts()).toEqual(['/acme/widgets'])
  await visit.close()
})

test.each([
  ['owner', 'ann', 'The operator of this service issues them. Request the enterprise plan to get one for this teamspace.'],
  ['developer', 'dev', 'An owner or admin of Bare'],
])('the page of a teamspace without a license tells its %s why it cannot export, and how to ask', async (role, name, how) => {
  const team = await dashboard.teamspace(`Bare ${role}`, { ann: 'owner', dev: 'developer' })
  const { page, open, inspect, close } = await personVisit(dashboard, name)
  await open(exportPage(team))
  await page.getByText('Exports require a valid offline license, and this teamspace has none.').waitFor()
  await page.getByText(how).waitFor()
  expect(await page.getByRole('button', { name: 'Download selected' }).count()).toBe(0)
  await inspect(`export-unlicensed-${role}`)
  await close()
})
