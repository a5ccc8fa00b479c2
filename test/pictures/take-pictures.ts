import { mkdirSync, readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import type { Page } from 'playwright-core'
import { startChromium } from '../fixtures/chromium.ts'
import { type TestInstall, testInstall } from '../fixtures/test-install.ts'

const root = new URL('../..', import.meta.url).pathname
const pictures = join(root, 'docs/images')
const port = '3000'
const password = 'a long enough password'
const size = { width: 1200, height: 760 }

/** Takes the pictures in docs/images/ of the web UI, with the documentation of Carrel and of packages that it uses as libraries. */
const install = await testInstall({ env: { PORT: port } })
const browser = await startChromium()
try {
  await addLibraries(install)
  const page = await browser.newPage({ viewport: size, locale: 'en-GB', timezoneId: 'UTC', reducedMotion: 'reduce' })
  page.setDefaultTimeout(15_000)
  await signIn(page)
  for (const username of ['ada', 'grace', 'linus'])
    await install.call('POST', '/api/users', { username, password, role: username === 'ada' ? 'admin' : 'member' })

  await page.goto(`${install.url}/libraries`)
  await page.getByText('carrel/carrel').first().waitFor()
  await take(page, 'libraries')

  await page.goto(`${install.url}/playground`)
  await page.getByRole('combobox', { name: 'Libraries' }).click()
  await page.getByRole('option', { name: '/carrel/carrel' }).click()
  await page.getByRole('textbox', { name: 'Question' }).fill('How do I restore a backup?')
  await page.getByRole('button', { name: 'Ask' }).click()
  await page.getByRole('button', { name: /#1 / }).waitFor()
  await take(page, 'playground')

  await page.goto(`${install.url}/connect`)
  await page.getByText('cli.mjs').first().waitFor()
  await take(page, 'connect')

  await page.goto(`${install.url}/settings/users`)
  await page.getByText('grace').first().waitFor()
  await take(page, 'users')

  await page.goto(`${install.url}/settings/permissions`)
  await page.getByRole('switch').first().waitFor()
  await take(page, 'permissions')
} finally {
  await browser.close()
  await install.close()
}

async function addLibraries({ git, parse }: TestInstall): Promise<void> {
  const readme = (name: string, file: string) => ({ 'README.md': readFileSync(join(root, 'node_modules', name, file), 'utf8') })
  const docs = readdirSync(join(root, 'docs')).filter((name) => name.endsWith('.md'))
  const ownFiles = ['README.md', ...docs.map((name) => `docs/${name}`)]
  await git.create('carrel/carrel', {
    files: Object.fromEntries(ownFiles.map((name) => [name, readFileSync(join(root, name), 'utf8')])),
    tags: ['v2.0.0'],
  })
  await git.create('tj/commander.js', { files: readme('commander', 'Readme.md') })
  await git.create('hexagon/croner', { files: readme('croner', 'README.md') })
  await git.create('isaacs/node-lru-cache', { files: readme('lru-cache', 'README.md') })
  for (const library of ['carrel/carrel', 'tj/commander.js', 'hexagon/croner', 'isaacs/node-lru-cache']) await parse(library)
}

async function signIn(page: Page): Promise<void> {
  await page.goto(install.url)
  await page.getByLabel('User name').fill('admin')
  await page.getByRole('textbox', { name: 'Password' }).fill('admin')
  await page.getByRole('button', { name: 'Sign in' }).click()
  for (const label of ['New password', 'New password again'])
    await page.getByRole('textbox', { name: label, exact: true }).fill(password)
  await page.getByRole('button', { name: 'Change password' }).click()
  await page
    .getByText(/Set up Carrel|Libraries/)
    .first()
    .waitFor()
}

async function take(page: Page, name: string): Promise<void> {
  await page.evaluate('document.fonts.ready.then(() => undefined)')
  await page.waitForTimeout(500)
  mkdirSync(pictures, { recursive: true })
  const path = join(pictures, `${name}.png`)
  await page.screenshot({ path })
  console.log(`${path} is written.`)
}
