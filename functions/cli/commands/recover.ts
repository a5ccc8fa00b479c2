import type { Command } from 'commander'
import { printAnswer, printRemark } from '../../../shared/cli/print.ts'
import { UsageError } from '../../../shared/cli/usage-error.ts'
import { AppError } from '../../../shared/errors.ts'
import type { Recovery } from '../../recovery/recover.ts'
import type { UseAdmin } from '../api/admin.ts'

export function recoverCommand(program: Command, admin: UseAdmin): void {
  program
    .command('recover')
    .description('after a restore of the table: restore its content, and repeat what was revoked, removed and erased since')
    .requiredOption('--restored-to <time>', 'the time that the table was restored to, such as 2026-11-28T09:30:00Z', readTime)
    .action(async ({ restoredTo }: { restoredTo: string }) => {
      const { libraries, undeleted, lost, repeated, failed } = await admin(({ run }) => run<Recovery>('recover', { restoredTo }))
      printRemark(`${libraries} libraries, ${undeleted} deleted objects restored, ${repeated} acts repeated.`)
      for (const { kind, id, message } of failed) printRemark(`not repeated: ${kind} ${id}. ${message}`)
      for (const library of lost) printAnswer(library)
      if (failed.length > 0) throw new AppError('command_failed', 'Some acts were not repeated. Run the command again.')
      if (lost.length > 0) printRemark('the content of these libraries is gone. Refresh them with "hosted refresh".')
    })
}

function readTime(text: string): string {
  const time = new Date(text)
  if (!/^\d{4}-\d\d-\d\dT/.test(text) || Number.isNaN(time.getTime()) || time.getTime() > Date.now())
    throw new UsageError('--restored-to must be a time in the past, such as 2026-11-28T09:30:00Z.')
  return time.toISOString()
}
