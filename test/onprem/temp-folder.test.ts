import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, onTestFinished, test } from 'vitest'
import { startGitServer } from '../fixtures/git-server.ts'
import { prepareDir, startServer } from '../fixtures/server-process.ts'
import { tempDir } from '../fixtures/temp-dir.ts'

test('an unwritable temporary folder is reported in the log and the health with advice', async () => {
  const git = await startGitServer()
  onTestFinished(() => git.close())
  const path = join(tempDir(), 'file')
  writeFileSync(path, '')
  const { call, output, url } = await startServer(prepareDir(git.url), { TMPDIR: path })
  const said = `This user cannot write to the temporary folder ${path}, so adding, refreshing and importing libraries can fail. Make it writable, or set TMPDIR to another folder and restart the server.`
  expect(output()).toContain(said)
  expect((await call('GET', '/api/health')).body.warnings).toContain(said)
  expect(await (await fetch(`${url}/api/health`)).text()).not.toContain(path)
})
