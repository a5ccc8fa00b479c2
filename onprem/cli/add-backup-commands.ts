import type { Command } from 'commander'
import type { Install } from '../../shared/cli/install.ts'
import { addRestoreCommand } from './add-restore-command.ts'
import { addVacuumCommand } from './add-vacuum-command.ts'
import { withConnection } from './api/with-connection.ts'
import { backupVerb } from './verbs/backup.ts'

export function addBackupCommands(program: Command, install: Install): void {
  const run = withConnection(install)
  backupVerb(program, async (name, work) => {
    install.requireInstall?.()
    await run(name, work)
  })
  addRestoreCommand(program, install)
  addVacuumCommand(program, install)
}
