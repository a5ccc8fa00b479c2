import { afterAll, beforeAll, expect, test } from 'vitest'
import type { Teamspace } from '../../../functions/access/teamspaces.ts'
import { type ConfluenceServer, startConfluence } from '../../fixtures/confluence-server.ts'
import { type ConnectProxy, startConnectProxy } from '../../fixtures/connect-proxy.ts'
import { personVisit } from '../../fixtures/dashboard-visit.ts'
import { type StaticSite, startStaticSite } from '../../fixtures/static-site.ts'
import { type TestDashboard, testDashboard } from '../../fixtures/test-dashboard.ts'
import { endVisits } from '../../fixtures/web-visit.ts'

const token = 'right-token-of-acme'
const api = (summary: string) =>
  JSON.stringify({
    openapi: '3.1.0',
    info: { title: 'Pet Store', version: '1' },
    paths: { '/pets': { get: { operationId: 'listPets', summary, responses: { 200: { description: 'A list of pets' } } } } },
  })

let web: StaticSite
let confluence: ConfluenceServer
let proxies: ConnectProxy[]
let dashboard: TestDashboard
let wiki: TestDashboard
let acme: Teamspace

beforeAll(async () => {
  web = await startStaticSite({
    '/docs/': {
      headers: { 'content-type': 'text/html' },
      body: '<main><h1>Birds</h1><p>The swallow carries coconuts from here to the coast in the summer months.</p></main>',
    },
    '/docs/llms.txt': '# Birds\n\n> About birds.\n\nOwls sleep in the hollow of an old oak.\n',
    '/openapi.json': api('List all pets'),
  })
  const pages = [{ id: '1', title: 'Home', version: 1, storage: '<p>Turn the lever twice to open the gate.</p>' }]
  confluence = await startConfluence('cloud', [{ key: 'DOC', id: 7, name: 'Documentation', pages }])
  confluence.authorization = `Basic ${Buffer.from(`ann@example.com:${token}`).toString('base64')}`
  // The names of the internet lead to the sites, so that the rules for addresses are those of a stage.
  proxies = [await startConnectProxy(web.url), await startConnectProxy(confluence.site)]
  const [toWeb, toConfluence] = proxies.map(({ url }) => ({ ...process.env, HTTP_PROXY: url, HTTPS_PROXY: url, NO_PROXY: '' }))
  dashboard = await testDashboard({ allowedHosts: ['docs.example.com'], ...(toWeb && { env: toWeb }) })
  wiki = await testDashboard({ allowedHosts: ['acme.atlassian.net'], ...(toConfluence && { env: toConfluence }) })
  acme = await dashboard.teamspace('Acme', { ann: 'admin', dev: 'developer' })
})
afterAll(async () => {
  await endVisits()
  await Promise.all([dashboard.close(), wiki.close()])
  await Promise.all([web.close(), confluence.close(), ...proxies.map(({ close }) => close())])
})

test('a developer adds a website, an llms.txt and an OpenAPI document by their addresses', async () => {
  const { page, open, inspect, problems, close } = await personVisit(dashboard, 'dev')
  const form = `/teamspaces/${acme.id}/libraries/add`
  await open(form)
  await page.getByRole('tab', { name: 'Website' }).click()
  const address = page.getByRole('textbox', { name: 'Address of the website' })
  await address.fill('http://other.example.com/docs/')
  await page.getByRole('button', { name: 'Add Website' }).click()
  await page.getByText('is not among the hosts').waitFor()
  await page.getByRole('button', { name: 'Only some pages' }).click()
  await page.getByRole('textbox', { name: 'Only pages below' }).fill('http://docs.example.com/docs/')
  await inspect('add-website')
  await address.fill('http://docs.example.com/docs/')
  await page.getByRole('button', { name: 'Add Website' }).click()
  await page.getByRole('heading', { name: 'Birds' }).first().waitFor()
  await page.waitForURL('**/libraries/websites/docs-example-com-docs**')

  await open(`${form}?from=llmstxt`)
  await page.getByRole('textbox', { name: 'Address of the llms.txt' }).fill('http://docs.example.com/docs/llms.txt')
  await page.keyboard.press('Enter')
  await page.waitForURL('**/libraries/llmstxt/docs-example-com-docs**')

  await open(`${form}?from=openapi`)
  await page.getByText('Only owners and admins of a teamspace can add uploaded files.').waitFor()
  await page.getByRole('textbox', { name: 'Address of the document' }).fill('http://docs.example.com/openapi.json')
  await page.getByRole('button', { name: 'Add OpenAPI' }).click()
  await page.waitForURL('**/libraries/openapi/docs-example-com**')
  await page.getByText('Ready').waitFor()
  expect(problems.filter((problem) => !problem.includes('400'))).toEqual([])
  await close()
})

test('an admin uploads an API description, and replaces its file only on request', async () => {
  const { page, open, inspect, problems, close } = await personVisit(dashboard, 'ann')
  const form = `/teamspaces/${acme.id}/libraries/add?from=openapi`
  const choose = async (summary: string, name = 'pets.json') =>
    page
      .getByLabel('API description to add')
      .setInputFiles({ name, mimeType: 'application/json', buffer: Buffer.from(api(summary)) })
  await open(form)
  await choose('List all pets', 'pets.txt')
  await page.getByText('pets.txt is no .json, .yaml or .yml file.').waitFor()
  await choose('List all pets')
  await page.getByText('pets.json').first().waitFor()
  await inspect('add-api-file')
  await page.getByRole('button', { name: 'Upload OpenAPI' }).click()
  await page.waitForURL('**/libraries/openapi/pets-**')
  await page.getByText('Ready').waitFor()

  await open(form)
  await choose('List every pet')
  await page.getByRole('button', { name: 'Upload OpenAPI' }).click()
  await page.getByText('already exists').waitFor()
  await page.getByLabel('Replace the file of a library with this name').check()
  await page.getByRole('button', { name: 'Upload OpenAPI' }).click()
  await page.waitForURL('**/libraries/openapi/pets-**')
  expect(problems.filter((problem) => !problem.includes('409'))).toEqual([])
  await close()
})

test('an admin stores a Confluence site, adds a space of it, replaces the token and deletes the site', async () => {
  const { id } = await wiki.teamspace('Wiki', { ann: 'admin', dev: 'developer' })
  const { page, open, inspect, problems, close } = await personVisit(wiki, 'ann')
  await open(`/teamspaces/${id}/libraries/add?from=confluence`)
  await page.getByText('Your teamspace has no Confluence site yet.').waitFor()
  await inspect('add-space-without-site')
  await page.getByRole('link', { name: 'Store a site' }).click()
  await page.getByText('No site is stored.').waitFor()
  await page.getByRole('textbox', { name: 'Address of the site' }).fill('http://wiki.example.com')
  await page.getByRole('textbox', { name: 'User' }).fill('ann@example.com')
  await page.getByLabel('Confluence token').fill(token)
  await page.getByRole('button', { name: 'Save site' }).click()
  await page.getByText('is not among the hosts').waitFor()
  await inspect('confluence-refused')
  await page.getByRole('textbox', { name: 'Address of the site' }).fill('http://acme.atlassian.net')
  await page.getByRole('button', { name: 'Save site' }).click()
  await page.getByText('ann@example.com, token ends in acme').waitFor()
  await inspect('confluence')
  expect(await page.content()).not.toContain(token)

  await open(`/teamspaces/${id}/libraries/add?from=confluence`)
  await page.getByRole('textbox', { name: 'Key of the space' }).fill('a key')
  await page.getByRole('textbox', { name: 'Title' }).fill('Handbook')
  await page.getByRole('button', { name: 'Add Confluence space' }).click()
  await page.getByText('Must be the key of a space, such as DOC').waitFor()
  await inspect('add-space')
  await page.getByRole('textbox', { name: 'Key of the space' }).fill('DOC')
  await page.getByRole('button', { name: 'Add Confluence space' }).click()
  await page.waitForURL('**/libraries/confluence/handbook-**')
  await page.getByText('Ready').waitFor()

  await open(`/teamspaces/${id}/settings/confluence`)
  await page.getByRole('button', { name: 'Replace' }).click()
  await page.getByLabel('Confluence token').fill('another-token-1234')
  await page.getByRole('button', { name: 'Save site' }).click()
  await page.getByText('ann@example.com, token ends in 1234').waitFor()
  await page.getByRole('button', { name: 'Delete site' }).click()
  await page.getByRole('dialog').getByRole('button', { name: 'Delete site' }).click()
  await page.getByText('No site is stored.').waitFor()
  expect(problems.filter((problem) => !problem.includes('400'))).toEqual([])
  await close()

  const developer = await personVisit(wiki, 'dev')
  await developer.open(`/teamspaces/${id}/settings/confluence`)
  await developer.page.getByText('Only owners and admins of the teamspace can change its site.').waitFor()
  expect(await developer.page.getByRole('button', { name: 'Save site' }).count()).toBe(0)
  expect(developer.problems).toEqual([])
  await developer.close()
})
