import { type Command, Option } from 'commander'
import { UsageError } from '../../../shared/cli/usage-error.ts'
import { type ClientName, clientNames, clients } from './clients.ts'
import { readPlace } from './read-place.ts'
import { readRoot } from './read-root.ts'
import { removeSetup, runSetup, type SetupPorts } from './run-setup.ts'
import { openTerminal } from './terminal.ts'

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
  oauth: 'Carrel accepts API keys, not OAuth',
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
export function addSetupCommand(program: Command, command: SetupPorts['command']): void {
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
    .addOption(new Option('--mcp', 'over MCP (the only way)').hideHelp())
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
