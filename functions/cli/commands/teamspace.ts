import { Argument, type Command, Option } from 'commander'
import { printRemark } from '../../../shared/cli/print.ts'
import { type Columns, jsonOption, printList } from '../../../shared/cli/print-list.ts'
import type { PlanRequest } from '../../access/plan-requests.ts'
import { plans, type Teamspace } from '../../access/teamspaces.ts'
import type { UseAdmin } from '../api/admin.ts'

const columns: Columns<Teamspace> = {
  name: ({ name }) => name,
  plan: ({ plan }) => plan,
  created: ({ createdAt }) => createdAt,
  id: ({ id }) => id,
  state: ({ deletedAt }) => (deletedAt === undefined ? '' : 'being deleted'),
}

type ListedPlanRequest = PlanRequest & { teamspace: string }

const requestColumns: Columns<ListedPlanRequest> = {
  teamspace: ({ teamspace }) => teamspace,
  plan: ({ plan }) => plan,
  since: ({ at }) => at,
  contact: ({ contact }) => contact,
  message: ({ message }) => message,
}

export function teamspaceCommands(program: Command, admin: UseAdmin): void {
  const teamspace = program.command('teamspace').description('teamspaces own libraries and keys')
  teamspace
    .command('create')
    .description('create a teamspace')
    .argument('<name>')
    .addOption(new Option('--plan <plan>', 'the plan of the teamspace').choices(plans).default('free'))
    .action(async (name: string, { plan }: { plan: string }) => {
      await admin(({ run }) => run('createTeamspace', { name, plan }))
      printRemark(`teamspace ${name}, plan ${plan}, was created.`)
    })
  teamspace
    .command('list')
    .description('list the teamspaces; on AWS, this reads the whole table')
    .addOption(jsonOption())
    .action(async ({ json }: { json?: boolean }) => {
      const listed = await admin(({ run }) => run<Teamspace[]>('listTeamspaces', {}))
      printList(columns, listed, { json, none: 'There are no teamspaces yet. "hosted teamspace create NAME" creates one.' })
    })
  teamspace
    .command('rename')
    .description('rename a teamspace; its keys and libraries stay')
    .argument('<name>')
    .argument('<new-name>')
    .action(async (name: string, to: string) => {
      await admin(({ run }) => run('renameTeamspace', { name, to }))
    })
  teamspace
    .command('plan')
    .description('change the plan of a teamspace, and remove its request for one')
    .argument('<name>')
    .addArgument(new Argument('<plan>').choices(plans))
    .action(async (name: string, plan: string) => {
      await admin(({ run }) => run('setPlan', { name, plan }))
      printRemark(`teamspace ${name} has the plan ${plan}.`)
    })
  teamspace
    .command('plan-requests')
    .description('list the teamspaces that ask for another plan')
    .addOption(jsonOption())
    .action(async ({ json }: { json?: boolean }) => {
      const listed = await admin(({ run }) => run<ListedPlanRequest[]>('listPlanRequests', {}))
      printList(requestColumns, listed, { json, none: 'No teamspace asks for another plan.' })
    })
  teamspace
    .command('delete')
    .description(
      'delete a teamspace with its keys, members and private libraries, and revoke its licenses; public libraries stay',
    )
    .argument('<name>')
    .action(async (name: string) => {
      await admin(({ run }) => run('deleteTeamspace', { name }))
    })

  program
    .command('own')
    .description('make a teamspace the owner of a library')
    .argument('<library>', 'such as /owner/repo')
    .requiredOption('--teamspace <name>', 'the owner')
    .action(async (library: string, { teamspace }: { teamspace: string }) => {
      await admin(({ run }) => run('own', { library, teamspace }))
    })
}
