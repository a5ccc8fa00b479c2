import { open } from 'node:fs/promises'
import { Readable } from 'node:stream'
import type { Command } from 'commander'
import { printAnswer, printRemark } from '../../../shared/cli/print.ts'
import { whyUnreadable } from '../../../shared/cli/read-option.ts'
import { AppError } from '../../../shared/errors.ts'
import type { ReplayReport } from '../../counting/replay.ts'
import type { UseAdmin } from '../api/admin.ts'

export function replayCommand(program: Command, admin: UseAdmin): void {
  program
    .command('replay')
    .description(
      'count events in a log that could not be put on the stream, each once; events older than 7 days are never counted',
    )
    .argument('<file>', 'log of the server, as JSON lines')
    .option('--uncertain', 'include events that may be on the stream already; those count twice')
    .action(async (file: string, options: { uncertain?: true }) => {
      const body = Readable.toWeb(await readFile(file)) as ReadableStream<Uint8Array>
      const path = `/replay?uncertain=${options.uncertain ?? false}`
      const done = await admin(({ send }) => send<ReplayReport>(path, body))
      for (const { line, reason } of done.problems) printRemark(`line ${line}: ${reason}`)
      for (const [name, count] of [
        ['counted', done.counted],
        ['counted before', done.countedBefore],
        ['skipped', done.skipped],
        ['left out', done.omitted],
      ]) {
        printAnswer(`${name}\t${count}`)
      }
    })
}

async function readFile(file: string): Promise<Readable> {
  const handle = await open(file).catch((error: unknown) => Promise.reject(unreadable(file, whyUnreadable(error), error)))
  const stats = await handle.stat()
  if (stats.isFile() || stats.isFIFO()) return handle.createReadStream()
  await handle.close()
  throw unreadable(file, stats.isDirectory() ? 'is a folder' : 'is neither a file nor a pipe')
}

const unreadable = (file: string, why: string, cause?: unknown): AppError =>
  new AppError('validation_error', `${file} ${why}. Give the path of a server log.`, { cause })
