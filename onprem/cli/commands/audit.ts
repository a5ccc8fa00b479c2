import { once } from 'node:events'
import type { Command } from 'commander'
import { type Install, withExistingDatabase } from '../../../shared/cli/install.ts'
import { printAnswer, printDone } from '../../../shared/cli/print.ts'
import { UsageError } from '../../../shared/cli/usage-error.ts'
import { AppError } from '../../../shared/errors.ts'
import { pluralize } from '../../../shared/text/figures.ts'
import { actorOf, commandLine } from '../../access/caller.ts'
import { type AuditHead, sqliteAudit } from '../../accounts/audit-log.ts'
import { exportAudit } from '../../accounts/export-audit.ts'
import { verifyAudit } from '../../accounts/verify-audit.ts'

/** The audit log as it is in the database, whether a server runs or not. */
export function auditCommands(program: Command, install: Install): void {
  const audit = program.command('audit').description('the log of who did what, when and from where')

  audit
    .command('verify')
    .description('check that no entry was altered, removed or reordered; exit code 1 names the first one that was')
    .option('--head <id:hash>', 'an entry that "audit head" printed before, and that the log must still hold')
    .action(async (options: { head?: string }) => {
      const witnessed = options.head === undefined ? undefined : readHead(options.head)
      const { entries, head, problem } = await withExistingDatabase(install, (db) => {
        // It chains the entries of older versions.
        sqliteAudit(db, install.now).head()
        return verifyAudit(db, witnessed)
      })
      if (problem !== undefined) throw new AppError('command_failed', problem)
      printDone(`${pluralize(entries, 'entry', 'entries')} checked; the newest one is ${printHead(head)}`)
    })

  audit
    .command('head')
    .description('print the number and hash of the newest entry; kept elsewhere, it proves that no entry before it was changed')
    .action(async () => {
      printAnswer(printHead(await withExistingDatabase(install, (db) => sqliteAudit(db, install.now).head())))
    })

  audit
    .command('export')
    .description('print all entries as JSON lines, oldest first')
    .action(() =>
      withExistingDatabase(install, async (db) => {
        const log = sqliteAudit(db, install.now)
        for (const lines of exportAudit(log, actorOf(commandLine)))
          if (!process.stdout.write(lines)) await once(process.stdout, 'drain')
      }),
    )
}

const printHead = ({ id, hash }: AuditHead): string => `${id}:${hash}`

function readHead(text: string): AuditHead {
  const [, id, hash] = /^(\d{1,15}):([\da-f]{64})$/.exec(text.trim()) ?? []
  if (id === undefined || hash === undefined) throw new UsageError('--head takes what "audit head" printed: ID:HASH.')
  return { id: Number(id), hash }
}
