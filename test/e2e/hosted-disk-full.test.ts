import { rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, onTestFinished, test } from 'vitest'
import { startGitServer } from '../fixtures/git-server.ts'
import { carrel, hostedDir, startHosted } from '../fixtures/hosted-process.ts'
import { mayMount, smallDisk } from '../fixtures/small-disk.ts'
import { until } from '../fixtures/until.ts'

test.runIf(mayMount())(
  'a hosted half whose disk fills says what to do, and has lost nothing after a restart',
  async () => {
    const git = await startGitServer()
    onTestFinished(() => git.close())
    await git.create('acme/widgets', { files: { 'README.md': '# Widgets\n\nTurn the lever.\n' } })
    const dataDir = hostedDir(git.url)
    const unmount = smallDisk(join(dataDir, 'dynamodb'), 8)
    onTestFinished(() => unmount?.())
    await carrel(dataDir, 'hosted', 'teamspace', 'create', 'acme')
    await carrel(dataDir, 'hosted', 'add', `${git.url}/acme/widgets`, '--teamspace', 'acme')
    const server = await startHosted(dataDir)
    let log = ''
    server.child.stdout?.on('data', (data) => {
      log += data
    })
    const context = async ({ url }: { url: string }) => {
      const answer = await fetch(`${url}/api/v2/context?libraryId=/acme/widgets&query=lever`)
      return answer.ok ? answer.text() : ''
    }
    expect(await context(server)).toContain('lever')
    const ballast = join(dataDir, 'dynamodb', 'ballast')
    expect(() => writeFileSync(ballast, Buffer.alloc(16 * 2 ** 20))).toThrow('ENOSPC')
    let refused = { code: 0, stderr: '' }
    await until(async () => {
      refused = await carrel(dataDir, 'hosted', 'teamspace', 'create', `team-${performance.now()}`)
      return refused.code !== 0
    })
    expect(refused.stderr.split('\n')).toHaveLength(1)
    expect(server.child.exitCode).toBeNull()

    expect(log.match(/"the tables failed; restart the server"/g)).toHaveLength(1)
    expect(await server.end()).toBe(0)

    rmSync(ballast)
    const again = await startHosted(dataDir)
    expect(await context(again)).toContain('lever')
    expect((await carrel(dataDir, 'hosted', 'teamspace', 'create', 'again')).code).toBe(0)
    expect(await again.end()).toBe(0)
  },
  60_000,
)
