import { type Command, Option } from 'commander'
import { printAnswer, printRemark } from '../../../shared/cli/print.ts'
import { AppError } from '../../../shared/errors.ts'
import { plans } from '../../access/teamspaces.ts'
import type { UseAdmin } from '../api/admin.ts'

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

  const key = program.command('key').description('keys of teamspaces')
  key
    .command('create')
    .description('create a key and print it; it is shown only once')
    .requiredOption('--teamspace <name>', 'the teamspace of the key')
    .option('--name <name>', 'the purpose of the key')
    .action(async (options: { teamspace: string; name?: string }) => {
      const made = await admin(({ run }) => run<{ id: string; key: string }>('createKey', options))
      printAnswer(made.key)
      printRemark(`key ${made.id} of teamspace ${options.teamspace}.`)
    })
  key
    .command('revoke')
    .description('revoke a key immediately')
    .argument('<id>', 'the id that "hosted key create" printed')
    .action(async (id: string) => {
      const { known } = await admin(({ run }) => run<{ known: boolean }>('revokeKey', { id }))
      if (!known) throw new AppError('not_found', `There is no key with the id "${id}".`)
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
