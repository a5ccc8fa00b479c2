import type { Command } from 'commander'
import { printRemark } from '../../../shared/cli/print.ts'
import type { UseAdmin } from '../api/admin.ts'

export function eraseCommands(program: Command, admin: UseAdmin): void {
  program
    .command('usage')
    .description('counters of libraries')
    .command('erase')
    .description('erase the counters of a library with all its versions, or of one version')
    .argument('<library>', 'such as /owner/repo or /owner/repo@version')
    .action(async (library: string) => {
      await admin(({ run }) => run('eraseUsage', { library }))
      printRemark(`the usage of ${library} was erased.`)
    })

  program
    .command('salts')
    .description('random values behind the hashes of users')
    .command('erase')
    .description('erase the salts of today and before, so that no stored hash can be traced back to an address')
    .action(async () => {
      await admin(({ run }) => run('eraseSalts', {}))
      printRemark('the salts were erased. A function may use the one that it has read for five minutes more.')
    })
}
