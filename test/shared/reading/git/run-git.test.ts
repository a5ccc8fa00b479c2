import { chmod, mkdtemp, readFile, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterEach, beforeEach, describe, expect, test } from 'vitest'
import { runGit } from '../../../../shared/reading/git/run-git.ts'
import { expectEnded } from '../../../fixtures/running.ts'

let cwd: string

beforeEach(async () => {
  cwd = await mkdtemp(join(tmpdir(), 'carrel-git-process-'))
})
afterEach(() => rm(cwd, { recursive: true, force: true }))

/** Runs a shell script in the place of git. */
async function run(script: string, given: { signal?: AbortSignal; input?: Uint8Array; onMessage?(line: string): void } = {}) {
  await writeFile(join(cwd, 'git'), `#!/bin/sh\n${script}\n`)
  await chmod(join(cwd, 'git'), 0o755)
  const out: string[] = []
  const env = { PATH: `${cwd}:${process.env.PATH}` }
  const ended = await runGit([], {
    cwd,
    env,
    signal: new AbortController().signal,
    onOutput: (chunk) => out.push(`${chunk}`),
    ...given,
  })
  return { ...ended, out: out.join('') }
}

const helperPid = () => readFile(join(cwd, 'pid'), 'utf8').then(Number)
const helper = '(trap "" TERM; echo started >&2; while :; do sleep 1; done) & echo $! > pid'

describe('a git process', () => {
  test('returns its output, its messages without progress, and whether it succeeded', async () => {
    const script =
      'cat; printf "Receiving objects:  50%% (1/2)\\rReceiving objects: 100%% (2/2), done.\\nfatal: no\\n" >&2; exit 1'
    expect(await run(script, { input: Buffer.from('given') })).toEqual({ ok: false, messages: 'fatal: no\n', out: 'given' })
  })

  test('keeps the end of its messages if they are long', async () => {
    const { messages } = await run('yes "remote: noise" | head -n 20000 >&2; echo "fatal: at last" >&2')
    expect(messages.length).toBeLessThanOrEqual(8_000)
    expect(messages).toMatch(/fatal: at last\n$/)
  })

  test('leaves no helper process behind, even if one keeps the pipes open', async () => {
    await run(helper)
    await expectEnded(await helperPid())
  })

  test('ends with its helpers when it is cancelled, even if they ignore signals', async () => {
    const cancel = new AbortController()
    const onMessage = () => cancel.abort(new Error('cancelled'))
    await expect(run(`trap "" TERM; ${helper}; wait; wait; wait`, { signal: cancel.signal, onMessage })).rejects.toThrow(
      'cancelled',
    )
    await expectEnded(await helperPid())
  })

  test('is not started for a caller who has cancelled', async () => {
    await expect(run('touch started', { signal: AbortSignal.abort(new Error('cancelled')) })).rejects.toThrow('cancelled')
    await expect(readFile(join(cwd, 'started'))).rejects.toThrow('ENOENT')
  })
})
