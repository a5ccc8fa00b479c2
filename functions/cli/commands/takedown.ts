import type { Command } from 'commander'
import { printRemark } from '../../../shared/cli/print.ts'
import { type Columns, jsonOption, printList } from '../../../shared/cli/print-list.ts'
import type { OptOut } from '../../takedown/opt-outs.ts'
import type { StoredRequest } from '../../takedown/takedown-requests.ts'
import type { UseAdmin } from '../api/admin.ts'

const requestColumns: Columns<StoredRequest> = {
  id: ({ id }) => id,
  library: ({ library }) => library,
  state: ({ state }) => state,
  contact: ({ contact }) => contact,
  reason: ({ reason }) => reason,
}

const optOutColumns: Columns<OptOut> = {
  library: ({ library }) => library,
  by: ({ by }) => by,
  since: ({ at }) => at,
  teamspace: ({ teamspace }) => teamspace ?? '',
  reason: ({ reason }) => reason ?? '',
}

type Removed = { removed: boolean }

export function takedownCommands(program: Command, admin: UseAdmin): void {
  const takedown = program.command('takedown').description('requests of people to remove a library')
  takedown
    .command('list')
    .description('list the requests of the last year')
    .addOption(jsonOption())
    .action(async ({ json }: { json?: boolean }) => {
      const listed = await admin(({ run }) => run<StoredRequest[]>('listTakedowns', {}))
      printList(requestColumns, listed, { json, none: 'There are no requests.' })
    })
  takedown
    .command('accept')
    .description('remove the library of a request, and keep it from being added again')
    .argument('<id>', 'the id of the request')
    .action(async (id: string) => {
      const { library, removed } = await admin(({ run }) => run<Removed & { library: string }>('acceptTakedown', { id }))
      printRemark(outcome(library, removed))
    })
  takedown
    .command('reject')
    .description('mark a request as rejected')
    .argument('<id>', 'the id of the request')
    .action(async (id: string) => {
      await admin(({ run }) => run('rejectTakedown', { id }))
    })

  const optOut = program.command('opt-out').description('public libraries that may not be indexed')
  optOut
    .command('list')
    .description('list them; those whose project file says so are not listed')
    .addOption(jsonOption())
    .action(async ({ json }: { json?: boolean }) => {
      const listed = await admin(({ run }) => run<OptOut[]>('listOptOuts', {}))
      printList(optOutColumns, listed, { json, none: 'Every public library may be indexed.' })
    })
  optOut
    .command('add')
    .description('remove a library, and keep it from being added again')
    .argument('<library>', 'such as /owner/repo')
    .option('--reason <text>', 'for the list')
    .action(async (library: string, { reason }: { reason?: string }) => {
      const { removed } = await admin(({ run }) => run<Removed>('optOut', { library, reason }))
      printRemark(outcome(library, removed))
    })
  optOut
    .command('lift')
    .description('allow a library to be added again')
    .argument('<library>', 'such as /owner/repo')
    .action(async (library: string) => {
      const { lifted } = await admin(({ run }) => run<{ lifted: boolean }>('liftOptOut', { library }))
      printRemark(lifted ? `${library} can be added again.` : `${library} was not opted out.`)
    })
}

const outcome = (library: string, removed: boolean): string =>
  removed
    ? `${library} is removed and cannot be added again.`
    : `${library} cannot be added. If it has a job, it is removed when that ends.`
