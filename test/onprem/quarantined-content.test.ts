import { writeFile } from 'node:fs/promises'
import { dirname, join } from 'node:path'
import { expect, test } from 'vitest'
import { parseLibraryId } from '../../shared/library.ts'
import { lanceSnippets } from '../../shared/store/lance-snippets.ts'
import { readGuard } from '../../shared/store/read-guard.ts'
import { snippetsOf } from '../fixtures/imports.ts'
import { silentLog } from '../fixtures/silent-log.ts'
import { tablesIn } from '../fixtures/tables-in.ts'
import { testInstall } from '../fixtures/test-install.ts'
import { until } from '../fixtures/until.ts'

test('quarantined content is deleted, or replaced by a forced import, without being read', async () => {
  const first = await testInstall()
  const { dataDir } = first
  const body = (...contents: string[]) => ({
    libraries: ['/is/deleted', '/is/replaced'].map((libraryId) => ({ project: libraryId, ...snippetsOf(...contents) })),
  })
  await first.call('POST', '/api/import-libraries', body('The lever is old.'))
  await until(() => first.app.jobs.active().length === 0)
  const generations = ['/is/deleted', '/is/replaced'].flatMap((id) =>
    first.app.catalog.versions(parseLibraryId(id)).map(({ generation }) => generation),
  )
  expect(generations).toHaveLength(2)
  await first.stop()
  await writeFile(join(dataDir, 'reads'), generations.map((each) => `${each} damaged\n`).join(''))
  const read: string[] = []
  const install = await testInstall({
    reopen: first,
    openSnippets(folder) {
      const probe = async (generation: string) => (generations.includes(generation) ? 'damaged' : 'readable')
      const guard = readGuard(dirname(folder), probe, silentLog)
      return lanceSnippets(folder, {
        guard: {
          ...guard,
          read(generation, work) {
            read.push(generation)
            return guard.read(generation, work)
          },
        },
      })
    },
  })
  const ask = async (libraryId: string) => {
    const answer = await fetch(`${install.url}/api/v2/context?${new URLSearchParams({ libraryId, query: 'lever' })}`)
    return [answer.status, await answer.text()]
  }
  for (const id of ['/is/deleted', '/is/replaced'])
    expect(await ask(id)).toEqual([
      503,
      expect.stringContaining('Its files are damaged, and reading them may crash the server. Import it again with force.'),
    ])
  read.length = 0
  expect((await install.call('DELETE', '/api/projects/is/deleted')).status).toBe(200)
  expect((await ask('/is/deleted'))[0]).toBe(404)
  await install.call('POST', '/api/import-libraries?force=true', { libraries: body('The lever is new.').libraries.slice(1) })
  await until(() => install.app.jobs.active().length === 0)
  expect(install.app.jobs.list(1, 1).jobs).toMatchObject([{ project: '/is/replaced', state: 'done' }])
  expect(await ask('/is/replaced')).toEqual([200, expect.stringContaining('The lever is new.')])
  expect(read.filter((each) => generations.includes(each))).toEqual([])
  expect((await tablesIn(dataDir)).filter((name) => name.startsWith(`${generations[0]}.`))).toEqual([])
  expect((await install.call('GET', '/api/health')).body.warnings).not.toContainEqual(expect.stringContaining('damaged'))
  await install.stop()
  await first.close()
})
