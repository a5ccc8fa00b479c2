import { spawnSync } from 'node:child_process'
import { existsSync } from 'node:fs'
import { fileURLToPath } from 'node:url'
import type { Command } from 'commander'

/** The same as of `npm start`; docs/sizing.md gives the reasons. */
const flags = ['--max-semi-space-size=4', '--heap-growing-percent=50']
const environment = { MALLOC_ARENA_MAX: '1', MALLOC_MMAP_THRESHOLD_: '1000000', MALLOC_TRIM_THRESHOLD_: '1000000' }

export function startCommand(program: Command): void {
  program
    .command('start')
    .description('run the server; PORT, HOST and DATA_DIR configure it')
    .option('--port <number>', 'the port, instead of PORT')
    .action(start)
}

/** A checkout builds its web UI. The package contains it. */
const buildWeb = fileURLToPath(new URL('../../../shared/web/build/build-if-stale.sh', import.meta.url))

/** The server replaces this process, so that signals reach it and its exit code is seen. */
function start({ port }: { port?: string }): never {
  const server = fileURLToPath(new URL('../../main.ts', import.meta.url))
  const noWarning = '--disable-warning=ExperimentalWarning'
  const args = [process.execPath, ...process.execArgv, ...flags, noWarning, server]
  if (!process.execve) throw new Error('This system cannot replace a process; run Carrel on Linux or macOS.')
  if (existsSync(buildWeb))
    spawnSync('sh', [buildWeb, 'onprem'], { cwd: fileURLToPath(new URL('../../..', import.meta.url)), stdio: 'inherit' })
  return process.execve(process.execPath, args, { ...process.env, ...environment, ...(port !== undefined && { PORT: port }) })
}
