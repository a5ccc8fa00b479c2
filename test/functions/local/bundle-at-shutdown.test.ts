import { expect, onTestFinished, test, vi } from 'vitest'
import { bundleStatus, startBundle } from '../../../functions/bundles/bundle-status.ts'
import { addLibrary } from '../../../functions/jobs/add-library.ts'
import { openLocal } from '../../../functions/local/open-local.ts'
import { secretBox } from '../../../shared/settings/secret-box.ts'
import { openDatabase } from '../../../shared/store/database.ts'
import { sqliteSettings } from '../../../shared/store/settings-store.ts'
import { startGitServer } from '../../fixtures/git-server.ts'
import { page } from '../../fixtures/page.ts'
import { recordedLog } from '../../fixtures/recorded-log.ts'
import { tempDir } from '../../fixtures/temp-dir.ts'
import { until } from '../../fixtures/until.ts'

test('a server that stops does not wait for a bundle, whose status is then aborted', async () => {
  const git = await startGitServer()
  onTestFinished(() => git.close())
  await git.create('acme/docs', { files: { 'README.md': page('Guide', 'The lever turns.') } })
  const log = recordedLog()
  const config = { DATA_DIR: tempDir(), HOST: '127.0.0.1' }
  const db = openDatabase(config.DATA_DIR)
  sqliteSettings(db, secretBox(config.DATA_DIR)).change({ 'github.baseUrl': git.url })
  db.close()
  const first = await openLocal(config, process.env, log)
  first.begin()
  await addLibrary(first.hosted, { repoUrl: `${git.url}/acme/docs`, isPrivate: false })
  await until(async () => (await first.hosted.catalog.record({ owner: 'acme', repo: 'docs' }))?.library.state === 'finalized')
  const reading = Promise.withResolvers<void>()
  vi.spyOn(first.hosted.snippets, 'scan').mockImplementation(async function* () {
    reading.resolve()
    await new Promise(() => undefined)
  })
  const { id } = await startBundle(first.hosted, ['/acme/docs'])
  await reading.promise
  await first.close()

  const second = await openLocal(config, process.env, log)
  onTestFinished(() => second.close())
  expect(await bundleStatus(second.hosted, id)).toEqual({
    state: 'failed',
    code: 'temporarily_unavailable',
    message: 'The server stopped before the bundle was built. Build it again.',
  })
  expect(log.lines.filter(({ level }) => level === 'error')).toEqual([])
})
