import type { Command } from 'commander'
import { type Install, withExistingDatabase } from '../../../shared/cli/install.ts'
import { type Columns, jsonOption, printList } from '../../../shared/cli/print-list.ts'
import { laterGenerations } from '../../store/catalog/later-generations.ts'
import { recorded } from '../api/recorded.ts'

export function contentCommands(program: Command, install: Install): void {
  const content = program
    .command('content')
    .description('content that is newer than the database, after an older database was restored')

  content
    .command('list')
    .description('list these tables, and when they were found')
    .addOption(jsonOption())
    .action(async ({ json }: { json?: boolean }) => {
      const tables = await withExistingDatabase(install, (db) => laterGenerations(db, install.now).list())
      const columns: Columns<(typeof tables)[number]> = {
        table: ({ name }) => name,
        found: ({ foundAt }) => foundAt.toISOString(),
      }
      printList(columns, tables, { json, none: 'There is no such content.' })
    })

  content
    .command('remove')
    .description('let the server delete these tables, within a minute or at its next start')
    .action(async () => {
      await withExistingDatabase(install, (db) => {
        const later = laterGenerations(db, install.now)
        const { length } = later.list()
        if (length === 0) return
        recorded(db, install, (record) => {
          later.release()
          record('content.remove', `${length} tables`)
        })
      })
    })
}
