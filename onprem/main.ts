import '../shared/system/require-node.cjs'
import { resolve } from 'node:path'
import { setFlagsFromString } from 'node:v8'
import { AppError } from '../shared/errors.ts'
import { openLog } from '../shared/logging/open-log.ts'
import { commandName } from '../shared/system/command-name.ts'
import { endOnSignal } from '../shared/system/end-on-signal.ts'
import { asMachineError } from '../shared/system/machine-error.ts'
import { shellWord } from '../shared/text/shell-word.ts'
import { readConfig } from './config.ts'
import { type Install, startInstall } from './install.ts'

process.umask(0o077)
// A parse runs most functions too rarely to repay the slowest compiler. Older versions of Node lack the flag.
if (Number.parseInt(process.versions.node, 10) >= 24) setFlagsFromString('--invocation-count-for-turbofan=30000')

const starting = start()
endOnSignal(async () => (await starting).stop())
await starting

async function start(): Promise<Install> {
  let dataDir: string | undefined
  try {
    const config = readConfig(process.env)
    dataDir = resolve(config.DATA_DIR)
    const { log, print, showProgress } = await openLog(config.LOG_LEVEL, process.env)
    const install = await startInstall(config, process.env, log, { showProgress })
    print?.(greeting(install.app.publicUrl?.url ?? install.url, commandOn(config.DATA_DIR), install.firstSignIn))
    return install
  } catch (thrown) {
    const error = asMachineError(thrown, dataDir)
    if (!(error instanceof AppError)) throw error
    process.stderr.write(`carrel: ${error.message}\n`)
    process.exit(1)
  }
}

/** The command line as a person calls it for this data directory. */
function commandOn(dataDir: string): string {
  const command = commandName()
  if (dataDir === readConfig({}).DATA_DIR) return command
  return `DATA_DIR=${shellWord(dataDir)} ${command}`
}

/** The message after a start at a terminal: the address, and the first things to do. */
function greeting(url: string, command: string, signIn: string): string {
  return `
  Carrel is running at ${url}

  Open it in a browser${signIn}

  Or begin here:

  1. Add a library         ${command} add honojs/website
  2. Ask a question        ${command} ask /honojs/website "How do I read a header?"
  3. Connect an agent      claude mcp add --transport http carrel ${url}/mcp

  Press Ctrl-C to stop. ${command} --help lists all commands.

`
}
