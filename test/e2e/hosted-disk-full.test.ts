import { rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, onTestFinished, test } from 'vitest'
import { startGitServer } from '../fixtures/git-server.ts'
import { carrel, hostedDir, startHosted } from '../fixtures/hosted-process.ts'
import { mayMount, smallDisk } from '../fixtures/small-disk.ts'
import { until } from '../fixtures/until.ts'

test.runIf(mayMount())(
  'a hosted half whose disk fills stays up, and serves, counts and accepts jobs again when there is space',
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
    const context = async () => {
      const answer = await fetch(`${server.url}/api/v2/context?libraryId=/acme/widgets&query=lever`)
      return answer.ok ? answer.text() : ''
    }
    expect(await context()).toContain('lever')
    const ballast = join(dataDir, 'dynamodb', 'ballast')
    expect(() => writeFileSync(ballast, Buffer.alloc(16 * 2 ** 20))).toThrow('ENOSPC')
    let refused = { code: 0, stderr: '' }
    await until(async () => {
      refused = await carrel(dataDir, 'hosted', 'teamspace', 'create', `team-${performance.now()}`)
      return refused.code !== 0
    })
    expect(refused.stderr.split('\n')).toHaveLength(1)
    expect(server.child.exitCode).toBeNull()

    rmSync(ballast)
    await until(async () => (await carrel(dataDir, 'hosted', 'teamspace', 'create', 'again')).code === 0)
    expect(await context()).toContain('lever')
    expect(await server.end()).toBe(0)
  },
  60_000,
)
