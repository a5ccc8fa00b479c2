import type { Command } from 'commander'
import { type Columns, jsonOption, printList } from '../../../shared/cli/print-list.ts'
import type { AuditEntry, AuditFacts } from '../../access/audit.ts'
import type { UseAdmin } from '../api/admin.ts'

const columns: Columns<AuditEntry> = {
  at: ({ at }) => at,
  who: ({ who }) => who,
  what: ({ what }) => what,
  outcome: ({ outcome }) => outcome,
  before: ({ before }) => printFacts(before),
  after: ({ after }) => printFacts(after),
}

export function auditCommand(program: Command, admin: UseAdmin): void {
  program
    .command('audit')
    .description('list the changes by operators that concern no existing teamspace, or those of one teamspace')
    .option('--teamspace <name>', 'the teamspace, or the id of a deleted one')
    .addOption(jsonOption())
    .action(async ({ teamspace, json }: { teamspace?: string; json?: boolean }) => {
      const entries = await admin(({ run }) => run<AuditEntry[]>('listAudit', { teamspace }))
      printList(columns, entries, { json, none: 'Nothing was changed.' })
    })
}

const printFacts = (facts: AuditFacts = {}): string =>
  Object.entries(facts)
    .map(([name, value]) => `${name}=${value}`)
    .join(' ')
