import { execFile } from 'node:child_process'
import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { promisify } from 'node:util'

const run = promisify(execFile)
const timeoutMs = 120_000

/** The reason why a repository cannot be read from these folders; undefined if it can. Fetches one commit without its files. */
export async function checkRepository(url: string, folders: readonly string[]): Promise<string | undefined> {
  const into = await mkdtemp(join(tmpdir(), 'known-library-'))
  const git = (...words: string[]) =>
    run('git', words, { timeout: timeoutMs, env: { ...process.env, GIT_TERMINAL_PROMPT: '0', LC_ALL: 'C' } })
  try {
    await git('ls-remote', '--exit-code', url, 'HEAD')
    if (folders.length === 0) return undefined
    await git('clone', '--quiet', '--bare', '--depth=1', '--filter=tree:0', url, into)
    for (const folder of folders) {
      const { stdout } = await git('-C', into, 'ls-tree', 'HEAD', `${folder}/`)
      if (stdout === '') return `It has no folder ${folder}.`
    }
    return undefined
  } catch (error) {
    return `git failed: ${String((error as { stderr?: string }).stderr ?? error).trim()}`
  } finally {
    await rm(into, { recursive: true, force: true })
  }
}
