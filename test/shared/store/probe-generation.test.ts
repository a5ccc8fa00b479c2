import { chmodSync, readdirSync, truncateSync, writeFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { expect, onTestFinished, test } from 'vitest'
import { generationFormat } from '../../../shared/store/generation-format.ts'
import { lanceSnippets } from '../../../shared/store/lance-snippets.ts'
import { probeGeneration } from '../../../shared/store/probe-generation.ts'
import { row } from '../../contracts/snippet-row.ts'
import { writeGeneration } from '../../contracts/snippet-store.ts'
import { tempDir } from '../../fixtures/temp-dir.ts'

const written = async (format = generationFormat) => {
  const folder = join(tempDir(), 'snippets')
  const store = lanceSnippets(folder, { format })
  await writeGeneration(store, 'g1', [row('a', 'lever')])
  store.close()
  return folder
}

test('content that is intact, gone, or of a newer format is not damaged', async () => {
  const folder = await written()
  expect(await probeGeneration(folder, 'g1')).toBe('readable')
  expect(await probeGeneration(folder, 'g2-gone')).toBe('readable')
  expect(await probeGeneration(await written(generationFormat + 1), 'g1')).toBe('readable')
})

test('content whose files cannot be read is damaged', async () => {
  const folder = await written()
  const data = join(folder, 'g1.lance/data')
  for (const name of readdirSync(data)) truncateSync(join(data, name), 40)
  expect(await probeGeneration(folder, 'g1')).toBe('damaged')
})

test('content is in an unknown state if its check is killed or cannot start', async () => {
  const folder = await written()
  expect(await probeGeneration(folder, 'g1', { timeout: 1 })).toBe('unknown')
  const { execPath } = process
  onTestFinished(() => {
    process.execPath = execPath
  })
  process.execPath = join(folder, 'no-such-program')
  expect(await probeGeneration(folder, 'g1')).toBe('unknown')
})

test('content is in an unknown state if its check lacks rights, memory or file descriptors', async () => {
  const [folder, program] = [await written(), join(tempDir(), 'node')]
  const { execPath } = process
  onTestFinished(() => {
    process.execPath = execPath
  })
  const check = (setup: string, wrapper = '') => {
    process.execPath = program
    writeFileSync(program, `#!/bin/sh\n${setup}\nexec ${wrapper} '${execPath}' "$@"\n`, { mode: 0o755 })
    return probeGeneration(folder, 'g1')
  }
  expect(await check('')).toBe('readable')
  // This is enough for Node, and too few for LanceDB, which aborts.
  expect(await check('ulimit -n 22')).toBe('unknown')
  for (const message of [
    'FATAL ERROR: Reached heap limit - JavaScript heap out of memory',
    'memory allocation of 123 bytes failed',
  ])
    expect(await check(`echo '${message}' >&2; kill -ABRT $$`)).toBe('unknown')
  expect(await check('kill -ABRT $$')).toBe('damaged')
  const asNobody = process.getuid?.() === 0 ? 'setpriv --reuid=65534 --clear-groups' : ''
  chmodSync(dirname(folder), 0)
  onTestFinished(() => chmodSync(dirname(folder), 0o700))
  expect(await check('', asNobody)).toBe('unknown')
})
