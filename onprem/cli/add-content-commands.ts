import type { Command } from 'commander'
import { type Install, printAnswer, withDatabase } from '../../shared/cli/install.ts'
import { laterGenerations } from '../store/later-generations.ts'
import { record } from './record.ts'

export function addContentCommands(program: Command, install: Install): void {
  const content = program
    .command('content')
    .description('content that is newer than the database, after an older database was restored')

  content
    .command('list')
    .description('one line per table: name, and when it was found')
    .action(async () => {
      const found = await withDatabase(install, (db) => laterGenerations(db, install.now).list())
      for (const { name, foundAt } of found) printAnswer([name, foundAt.toISOString()].join('\t'))
    })

  content
    .command('remove')
    .description('let the server delete these tables, within a minute or at its next start')
    .action(async () => {
      await withDatabase(install, (db) => {
        const later = laterGenerations(db, install.now)
        const { length } = later.list()
        if (length === 0) return
        later.release()
        record(db, install, 'content.remove', `${length} tables`)
      })
    })
}
