import { expect, onTestFinished, test } from 'vitest'
import { testInstall } from '../../fixtures/test-install.ts'

test('an install parses a repository whose project file disallows public indexing', async () => {
  const install = await testInstall()
  onTestFinished(() => install.close())
  const files = { 'README.md': '# Guide\n\nThe lever turns.\n', 'carrel.json': '{"disallowIndexing": true}' }
  await install.git.create('acme/widgets', { files })
  expect(await install.parse('acme/widgets')).toMatchObject({ state: 'done' })
  const found = await install.call('GET', '/api/v2/libs/search?libraryName=widgets&query=lever')
  expect(found.body).toMatchObject({ results: [{ id: '/acme/widgets' }] })
})
