import { statSync } from 'node:fs'
import { homedir } from 'node:os'
import { isAbsolute } from 'node:path'
import { type Command, Option } from 'commander'
import { UsageError } from '../../../shared/cli/usage-error.ts'
import { type ClientName, clientNames } from '../../../shared/clients/entries.ts'
import type { Place } from '../setup/client-files.ts'
import { clients } from '../setup/clients.ts'
import { removeSetup, runSetup, type SetupPorts } from '../setup/run-setup.ts'
import { openTerminal } from '../setup/terminal.ts'
import { realPath } from '../setup/text-file.ts'

type Options = Partial<Record<ClientName | Unavailable, boolean>> & {
  baseUrl?: string
  project?: boolean
  apiKey?: string
  yes?: boolean
  dryRun?: boolean
  remove?: boolean
}

const unavailable = {
  cli: 'Agents ask Carrel over MCP, not by a command',
  stdio: 'Carrel speaks MCP over HTTP, so no local process is needed',
  oauth: 'setup writes API keys, and a client that signs in with OAuth needs only the address of /mcp',
}
type Unavailable = keyof typeof unavailable

const more = `
Without a client, setup takes those that it finds on this machine: all with --yes, else those that you choose.
If the deployment requires a key, setup takes it from CARREL_API_KEY, else CONTEXT7_API_KEY, else asks for it. It sends no key of another service.
Connects only to the address of --base-url. Existing files keep their other content; --remove restores them.

Examples:
  carrel setup --base-url https://carrel.example.com
  carrel setup --base-url https://carrel.example.com --claude --cursor --yes
  carrel setup --base-url https://carrel.example.com --project --vscode
  carrel setup --remove`

/** `command` returns how the user runs this program. */
export function setupCommand(program: Command, command: SetupPorts['command']): void {
  const setup = program
    .command('setup')
    .description('connect AI clients on this machine with a Carrel server')
    .option('--base-url <url>', 'the address of the server, without /mcp')
  for (const name of clientNames) setup.option(`--${name}`, `set up ${clients[name].label}`)
  setup
    .option('-p, --project', 'in the current folder, instead of for all projects of this user')
    .addOption(new Option('--api-key <key>', 'the key; other users see it in the list of processes'))
    .option('-y, --yes', 'ask nothing')
    .option('--dry-run', 'show what would change, and change nothing')
    .option('--remove', 'undo what setup did; needs no --base-url')
    .option('--mcp', 'over MCP, which is the only way')
    .addHelpText('after', more)
  for (const name of Object.keys(unavailable)) setup.addOption(new Option(`--${name}`).hideHelp())
  setup.action(async (options: Options) => {
    for (const [name, why] of Object.entries(unavailable))
      if (options[name as Unavailable]) throw new UsageError(`--${name} is not available: ${why}. Run setup without it.`)
    const place = readPlace(options.project === true)
    const { env } = process
    const common = { clients: clientNames.filter((name) => options[name]), place, dryRun: options.dryRun ?? false }
    const { failed } = options.remove
      ? removeSetup(common)
      : await runSetup(
          { ...common, root: readRoot(options.baseUrl), apiKey: options.apiKey, yes: options.yes ?? false },
          { env, terminal: openTerminal, command },
        )
    if (failed > 0) process.exitCode = 1
  })
}

/** The files of this user, or of the project in the current folder. Throws a usage error if setup must not write there. */
function readPlace(isProject: boolean): Place {
  const { env, platform } = process
  const home = homedir()
  if (!isAbsolute(home)) throw new UsageError('setup: the variable HOME must be the absolute path of your home folder.')
  const project = isProject ? process.cwd() : undefined
  if (project !== undefined && project === realPath(home))
    throw new UsageError('setup: --project is for the folder of a project, not for your home folder. Run setup without it.')
  const folder = project ?? home
  if (env.SUDO_UID !== undefined && !isOwn(folder))
    throw new UsageError(`Run setup without sudo: ${folder} belongs to another user, whose clients could not change its files.`)
  return { home: { home, env, platform }, project, folder: process.cwd() }
}

/** A missing folder belongs to the user who creates it. */
function isOwn(folder: string): boolean {
  const owner = statSync(folder, { throwIfNoEntry: false })?.uid
  return owner === undefined || owner === process.getuid?.()
}

/** The address of a deployment without a slash at its end. Throws UsageError. */
export function readRoot(address: string | undefined): string {
  if (address === undefined) throw new UsageError('setup needs the address of your Carrel: --base-url https://carrel.example.com')
  const text = address.trim()
  if (/^["']/.test(text)) throw wrong('must not be in quotes, which are part of the value in a file that no shell reads')
  const url = parseUrl(text)
  if (!url || !/^https?:$/.test(url.protocol)) throw wrong('must be an address such as https://carrel.example.com')
  if (url.username !== '' || url.password !== '') throw wrong('must not contain a user name or password')
  if (/[?#]/.test(text)) throw wrong('must not contain a query or fragment')
  let path = url.pathname
  while (path.endsWith('/')) path = path.slice(0, -1)
  const end = /\/(mcp|api)$/.exec(path)?.[1]
  if (end !== undefined) throw wrong(`must be the root, without /${end} at its end`)
  return url.origin + path
}

const wrong = (why: string): UsageError => new UsageError(`--base-url ${why}.`)

/** `URL.parse` needs a newer Node. */
function parseUrl(text: string): URL | undefined {
  try {
    return new URL(text)
  } catch {
    return undefined
  }
}
