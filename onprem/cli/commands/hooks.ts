import { type Command, Option } from 'commander'
import { printAnswer, printDone } from '../../../shared/cli/print.ts'
import { type Columns, jsonOption, printList } from '../../../shared/cli/print-list.ts'
import { readSecret } from '../../../shared/cli/read-secret.ts'
import { UsageError } from '../../../shared/cli/usage-error.ts'
import { type Delivery, type Hook, type HookKind, hookKinds } from '../../hooks/hook.ts'
import { call } from '../api/connection.ts'
import type { CommandPorts, RunCommand } from '../api/with-connection.ts'

type AddOptions = { kind: HookKind; library?: string; host?: string; name?: string; secret?: string }
type ListedHook = Omit<Hook, 'createdAt'> & { path: string; url: string | null; lastDeliveryAt: string | null }

export function hooksCommands(program: Command, run: RunCommand): void {
  const hooks = program.command('hooks').description('webhooks: git hosts report changes, and libraries are refreshed')

  hooks
    .command('add')
    .description('add a webhook and print its address and its secret, which is never shown again')
    .addOption(new Option('--kind <kind>', 'who sends it').choices(hookKinds).makeOptionMandatory())
    .option('--library <id>', 'refresh only this library, such as /owner/repo')
    .option('--host <address>', 'refresh the libraries of this host; by default that of the settings')
    .option('--name <name>', 'name in lists')
    .addOption(new Option('--secret <->', 'read the secret that the host has chosen from standard input').choices(['-']))
    .action((options: AddOptions) => run('hooks add', (ports) => add(ports, options)))

  hooks
    .command('list')
    .description('list the webhooks with their addresses')
    .addOption(jsonOption())
    .action((options: { json?: boolean }) =>
      run('hooks list', async ({ api }) => {
        const { hooks: listed } = await (await call(api.hooks.$get())).json()
        printList(columns, listed, { ...options, none: 'There are no webhooks yet. "carrel hooks add --kind github" adds one.' })
      }),
    )

  hooks
    .command('deliveries')
    .description('list the last deliveries of a webhook')
    .argument('<id>', 'as listed')
    .addOption(jsonOption())
    .action((id: string, options: { json?: boolean }) =>
      run('hooks deliveries', async ({ api }) => {
        const { deliveries } = await (await call(api.hooks[':id'].deliveries.$get({ param: { id } }))).json()
        printList(deliveryColumns, deliveries, { ...options, none: 'Nothing has been delivered yet.' })
      }),
    )

  hooks
    .command('remove')
    .description('remove a webhook; deliveries to its address are rejected')
    .argument('<id>', 'as listed')
    .action((id: string) =>
      run('hooks remove', async ({ api }) => {
        const { message } = await (await call(api.hooks[':id'].$delete({ param: { id } }))).json()
        printDone(message)
      }),
    )
}

const columns: Columns<ListedHook> = {
  id: ({ id }) => id,
  name: ({ name }) => name,
  refreshes: ({ library, host }) => library ?? host ?? 'all libraries',
  address: ({ url, path }) => url ?? path,
  'last delivery': ({ lastDeliveryAt }) => (lastDeliveryAt === null ? 'never' : { time: lastDeliveryAt }),
}

const deliveryColumns: Columns<Delivery> = {
  last: ({ at }) => ({ time: at }),
  event: ({ event }) => event,
  library: ({ library }) => library,
  outcome: ({ outcome }) => outcome,
  times: ({ times }) => times,
  job: ({ job }) => job,
  detail: ({ detail }) => detail,
}

async function add({ api, progress }: CommandPorts, { secret: wanted, ...hook }: AddOptions): Promise<void> {
  if (hook.library !== undefined && hook.host !== undefined)
    throw new UsageError('hooks add: a webhook refreshes one --library or the libraries of one --host, not both.')
  const json = { ...hook, ...(wanted === '-' && { secret: await readSecret('Secret: ') }) }
  const { url, path, secret } = await (await call(api.hooks.$post({ json }))).json()
  printAnswer(`Address: ${url ?? path}\nSecret: ${secret}`)
  if (url === null) progress.remark(`The address begins with that of this server, as the host reaches it: https://…${path}`)
  progress.remark('Enter both at the host, with the content type application/json. The secret is not shown again.')
}
