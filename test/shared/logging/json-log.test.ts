import { execFile, spawn } from 'node:child_process'
import { once } from 'node:events'
import { closeSync, existsSync, openSync } from 'node:fs'
import { text } from 'node:stream/consumers'
import { promisify } from 'node:util'
import { expect, onTestFinished, test } from 'vitest'
import { jsonLog } from '../../../shared/logging/json-log.ts'

const module = new URL('../../../shared/logging/json-log.ts', import.meta.url).href
const script = (work: string) => ['--input-type=module', '--eval', `import { jsonLog } from '${module}'; ${work}`]
const twoLines = "log.info({ n: 1 }, 'first'); log.warn({ n: 2 }, 'second');"
const messages = (out: string) => out.split('\n').flatMap((line) => (line === '' ? [] : [JSON.parse(line).msg]))

test('a synchronous log has written each line before its process may be frozen or killed', async () => {
  const work = `const log = jsonLog({ sync: true }); ${twoLines} process.kill(process.pid, 'SIGKILL')`
  const child = spawn(process.execPath, script(work), { stdio: ['ignore', 'pipe', 'inherit'] })
  const [out, [, signal]] = await Promise.all([text(child.stdout), once(child, 'exit')])
  expect([messages(out), signal]).toEqual([['first', 'second'], 'SIGKILL'])
})

test('an asynchronous log has written its lines at the end of its process', async () => {
  const { stdout } = await promisify(execFile)(process.execPath, script(`const log = jsonLog(); ${twoLines}`))
  expect(messages(stdout)).toEqual(['first', 'second'])
})

const full = '/dev/full'

test.skipIf(!existsSync(full)).each(['{ sync: true }', '{ sync: false }'])(
  'jsonLog(%s) drops the lines that a full disk rejects, and its process continues and exits',
  async (options) => {
    const work = `const log = jsonLog(${options}); ${twoLines} setImmediate(() => { log.error({}, 'third'); process.exitCode = 7 })`
    const disk = openSync(full, 'w')
    onTestFinished(() => closeSync(disk))
    const child = spawn(process.execPath, script(work), { stdio: ['ignore', disk, 'ignore'], timeout: 60_000 })
    expect(await once(child, 'exit')).toEqual([7, null])
  },
)

test('a process whose output is not read ends when it exits', async () => {
  const lines = `for (let i = 0; i < 3000; i++) log.info({ text: 'x'.repeat(200) }, 'line')`
  const work = `const log = jsonLog(); const write = () => { ${lines} }; write(); setTimeout(() => process.exit(3), 300)`
  const child = spawn(process.execPath, script(work), { stdio: ['ignore', 'pipe', 'inherit'] })
  onTestFinished(() => void child.kill('SIGKILL'))
  child.stdout.pause()
  expect(await once(child, 'exit')).toEqual([3, null])
})

const hiddenText = 'a\u0000\u001b[2J\u007f\u0085\u009b2J\r\n\u061c\u200e\u200f\u2028\u2029\u202eb\u2066\u2069'

test('a JSON line escapes what a terminal obeys or hides, in names, values, messages and errors', () => {
  const lines: string[] = []
  const log = jsonLog({ output: { write: (line) => lines.push(line) } })
  const error = new Error(hiddenText)
  log.warn({ [hiddenText]: hiddenText, list: [hiddenText], error }, hiddenText)
  expect(lines).toHaveLength(1)
  expect(lines[0]?.trimEnd()).toMatch(/^[\u0020-\u007e]+$/)
  const shown = { [hiddenText]: hiddenText, list: [hiddenText], error: { message: hiddenText }, msg: hiddenText }
  expect(JSON.parse(lines[0] ?? '')).toMatchObject(shown)
})
