import { existsSync } from 'node:fs'
import { Readable, Transform } from 'node:stream'
import { pipeline } from 'node:stream/promises'
import type { Command } from 'commander'
import { printDone } from '../../../shared/cli/print.ts'
import { UsageError } from '../../../shared/cli/usage-error.ts'
import { AppError } from '../../../shared/errors.ts'
import { fileSize } from '../../../shared/text/figures.ts'
import { writeBackupFile } from '../../backup/write-backup-file.ts'
import { call } from '../api/connection.ts'
import { endOnInterrupt } from '../api/end-on-interrupt.ts'
import type { CommandPorts, RunCommand } from '../api/with-connection.ts'

export function backupCommand(program: Command, run: RunCommand): void {
  program
    .command('backup')
    .description('back the install up into one file, while a server runs or not')
    .argument('<file>', 'a new file, such as carrel.tar.zst; "-" is standard output')
    .option('--with-keys', 'also secrets.key, sessions.key and development keys: whoever has the file can read all secrets in it')
    .action((file: string, { withKeys = false }: { withKeys?: boolean }) => {
      if (file === '-' && process.stdout.isTTY) throw new UsageError('backup: redirect standard output to a file or a program.')
      if (file === '') throw new UsageError('backup: the name of the file is empty. Name a new file.')
      if (file !== '-' && existsSync(file)) throw new UsageError(`backup: ${file} exists already. Name a new file.`)
      return run('backup', (ports) => endOnInterrupt((signal) => backup(ports, file, withKeys, signal)))
    })
}

async function backup({ send, progress }: CommandPorts, file: string, withKeys: boolean, signal: AbortSignal): Promise<void> {
  progress.show('Copying the databases')
  const answer = await call(send(`/api/backup?keys=${withKeys}`, { signal }))
  const totalBytes = Number(answer.headers.get('x-carrel-backup-bytes'))
  let bytes = 0
  const counted = new Transform({
    transform(piece: Buffer, _, done) {
      bytes += piece.length
      progress.show(`${fileSize(bytes)} written, of ${fileSize(totalBytes)} before compression`)
      done(null, piece)
    },
  })
  const body = Readable.fromWeb(answer.body as Parameters<typeof Readable.fromWeb>[0])
  const ended = pipeline(body, counted).catch((error: unknown) => {
    signal.throwIfAborted()
    if (isOfWriter(error)) throw error
    throw new AppError('command_failed', 'The server ended the backup early; its log says why. No backup was written.', {
      cause: error,
    })
  })
  const written = file === '-' ? writeOutput(counted, signal) : writeBackupFile(file, counted, signal)
  const [failedBody, failedFile] = await Promise.allSettled([ended, written])
  if (failedFile.status === 'rejected' && failedFile.reason instanceof AppError) throw failedFile.reason
  for (const each of [failedBody, failedFile]) if (each.status === 'rejected') throw each.reason
  progress.clear()
  if (file !== '-') printDone(`${file}: ${fileSize(bytes)}`)
  if (withKeys) progress.remark('the backup contains keys. Store it like a password.')
}

/** A reader that closes the pipe fails a backup, unlike other commands. */
async function writeOutput(bytes: Readable, signal: AbortSignal): Promise<void> {
  process.stdout.removeAllListeners('error')
  try {
    await pipeline(bytes, process.stdout, { signal })
  } catch (error) {
    if (!isOfWriter(error)) throw error
    const message = `The backup on standard output is incomplete (${(error as NodeJS.ErrnoException).code}).`
    throw new AppError('command_failed', message, { cause: error })
  }
}

/** True if the output failed, not the server. */
const isOfWriter = (error: unknown): boolean =>
  error instanceof Error &&
  (('syscall' in error && error.syscall === 'write') || ('code' in error && error.code === 'ERR_STREAM_PREMATURE_CLOSE'))
