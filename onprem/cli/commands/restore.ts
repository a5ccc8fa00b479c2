import { existsSync } from 'node:fs'
import { basename } from 'node:path'
import type { Command } from 'commander'
import type { Install } from '../../../shared/cli/install.ts'
import { printAnswer, printDone, printRemark } from '../../../shared/cli/print.ts'
import { UsageError } from '../../../shared/cli/usage-error.ts'
import { AppError } from '../../../shared/errors.ts'
import { hasDatabase, openDatabase } from '../../../shared/store/database.ts'
import { countOf, fileSize } from '../../../shared/text/figures.ts'
import type { BackupHeader } from '../../backup/backup-header.ts'
import { checkBackup } from '../../backup/check-backup.ts'
import { completeRestore } from '../../backup/replace-content.ts'
import { type Restored, restoreBackup } from '../../backup/restore-backup.ts'
import { confirm } from '../api/confirm.ts'
import { endOnInterrupt } from '../api/end-on-interrupt.ts'
import { lockAlone } from '../api/lock-alone.ts'
import { progressOutput } from '../api/progress-output.ts'
import { recorded } from '../api/recorded.ts'

type Options = { yes?: boolean; check?: boolean }

export function restoreCommand(program: Command, install: Install): void {
  program
    .command('restore')
    .description('replace the content of DATA_DIR by a backup, while no server runs; the old content is kept')
    .argument('<file>', 'a backup')
    .option('-y, --yes', 'do not ask')
    .option('--check', 'only check that the backup is complete and that this version can restore it')
    .action((file: string, { yes = false, check = false }: Options) =>
      endOnInterrupt((signal) => (check ? reportCheck(file, signal) : restore(install, file, yes, signal))),
    )
}

async function reportCheck(file: string, signal: AbortSignal): Promise<void> {
  printAnswer(`${describe(await checkBackup(file, signal))} It is complete.`)
}

async function restore(install: Install, file: string, yes: boolean, signal: AbortSignal): Promise<void> {
  const dataDir = install.dataDir()
  const lock = lockAlone(dataDir, 'restore')
  const progress = progressOutput()
  try {
    if (completeRestore(dataDir) !== undefined) progress.remark('an earlier restore was interrupted; it is completed now.')
    const restored = await restoreBackup({
      dataDir,
      path: file,
      now: install.now,
      signal,
      async onHeader(header) {
        progress.remark(describe(header))
        if (!yes && hasDatabase(dataDir)) await askFor(dataDir)
        const total = fileSize(header.sizeBytes)
        progress.show(`Unpacking ${total}`)
      },
      onProgress: (bytes) => progress.show(`${fileSize(bytes)} unpacked`),
      onChecked(folder) {
        const db = openDatabase(folder)
        try {
          recorded(db, install, (record) => record('backup.restore', basename(file)))
        } finally {
          db.close()
        }
      },
    })
    progress.clear()
    report(restored, install)
  } finally {
    progress.clear()
    lock.release()
  }
}

async function askFor(dataDir: string): Promise<void> {
  if (!process.stdin.isTTY)
    throw new UsageError(`restore: DATA_DIR ${dataDir} holds an install. Add --yes to replace its content.`)
  if (!(await confirm(`Replace the content of ${dataDir}? The old content is kept in a folder there. [y/N] `)))
    throw new AppError('command_failed', 'Nothing was changed.')
}

function report({ aside, lostSecrets }: Restored, { command }: Install): void {
  printDone('The backup is restored.')
  if (existsSync(aside)) printRemark(`the old content is in ${aside}. Delete the folder when you no longer need it.`)
  if (lostSecrets.length > 0)
    printRemark(
      `these stored secrets were encrypted with a secrets.key that is not here: ${lostSecrets.join(', ')}. Put that file into DATA_DIR, or enter each again, for example with: ${command} settings set ${lostSecrets[0]} -`,
    )
  printRemark('keys and users that were deleted after the backup are valid again. Review them before you start the server.')
}

function describe({ createdAt, version, libraries, sizeBytes, withKeys }: BackupHeader): string {
  const count = countOf(new Set(libraries.map(({ library }) => library)).size, 'library', 'libraries')
  const keys = withKeys ? ', with keys' : ', without keys'
  const lost = libraries.filter(({ complete }) => !complete).map(({ library }) => library)
  const without = lost.length === 0 ? '' : ` The install had lost content of ${lost.join(', ')}, so refresh or import it again.`
  return `The backup is of ${createdAt}, by Carrel ${version}: ${count}, ${fileSize(sizeBytes)}${keys}.${without}`
}
