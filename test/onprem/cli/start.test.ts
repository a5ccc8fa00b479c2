import { once } from 'node:events'
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { text } from 'node:stream/consumers'
import { expect, onTestFinished, test } from 'vitest'
import { listening } from '../../fixtures/listening.ts'
import { startCarrel } from '../../fixtures/run-carrel.ts'
import { tempDir } from '../../fixtures/temp-dir.ts'

const { scripts } = JSON.parse(readFileSync(new URL('../../../package.json', import.meta.url), 'utf8')) as {
  scripts: { start: string }
}

function start(env: Record<string, string> = {}, dataDir = join(tempDir(), 'data')) {
  const child = startCarrel(['start'], { dataDir, env: { PORT: '0', ...env } })
  onTestFinished(() => void child.kill('SIGKILL'))
  return child
}

test('carrel start is the same server as npm start, with its flags and environment', async () => {
  const child = start()
  await listening(child)
  const proc = (file: string) => readFileSync(`/proc/${child.pid}/${file}`, 'utf8').split('\0')
  const [, flags = '', main = ''] = /exec node (.*) (\S+\.ts)$/.exec(scripts.start) ?? []
  expect(proc('cmdline')).toEqual(expect.arrayContaining([...flags.split(' '), expect.stringContaining(main)]))
  expect(proc('environ')).toEqual(expect.arrayContaining(scripts.start.match(/MALLOC_\w+=\d+/g) ?? ['none']))
  child.kill('SIGTERM')
  expect(await once(child, 'exit')).toEqual([0, null])
})

test('kill -9 leaves no process that holds the data directory', async () => {
  const dataDir = join(tempDir(), 'data')
  const first = start({}, dataDir)
  await listening(first)
  first.kill('SIGKILL')
  expect(await once(first, 'exit')).toEqual([null, 'SIGKILL'])
  expect(await listening(start({}, dataDir))).toMatch(/^http:/)
})

test('a server that cannot start ends the command with its sentence and exit code', async () => {
  const child = start({ PORT: 'three' })
  const [[code], err] = await Promise.all([once(child, 'exit'), text(child.stderr)])
  expect(code).toBe(1)
  expect(err).toMatch(/^carrel: .*PORT.*\n$/)
})
