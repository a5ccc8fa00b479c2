import { existsSync } from 'node:fs'
import { Readable, Transform } from 'node:stream'
import { pipeline } from 'node:stream/promises'
import type { Command } from 'commander'
import { bundleLimits } from '../../../shared/bundle/bundle-element.ts'
import { printAnswer, printDone } from '../../../shared/cli/print.ts'
import { UsageError } from '../../../shared/cli/usage-error.ts'
import { AppError } from '../../../shared/errors.ts'
import { printLibraryId } from '../../../shared/library.ts'
import { fileSize, pluralize } from '../../../shared/text/figures.ts'
import { writeBackupFile } from '../../backup/write-backup-file.ts'
import { call } from '../api/connection.ts'
import { endOnInterrupt } from '../api/end-on-interrupt.ts'
import { namedLibrary } from '../api/named-library.ts'
import type { CommandPorts, RunCommand } from '../api/with-connection.ts'

type ExportOptions = { output?: string; publicKey?: boolean; newKey?: boolean }

const defaultFile = 'carrel-libraries.zip'

export function exportCommand(program: Command, run: RunCommand): void {
  program
    .command('export')
    .description('write libraries into a signed bundle, which another install imports')
    .argument('[library...]', 'such as /owner/repo, which means all versions, or /owner/repo@version')
    .option('-o, --output <file>', `a new file; by default ${defaultFile}`)
    .option('--public-key', 'print the key that the other install has to trust, in its setting bundle.trustedKeys')
    .option('--new-key', 'replace the key that signs exports, and print the new public key')
    .action((libraries: string[], options: ExportOptions) => {
      if (options.publicKey || options.newKey) {
        if (libraries.length > 0) throw new UsageError('export: name libraries, or print a key, but not both.')
        return run('export', (ports) => printKey(ports, options.newKey === true))
      }
      if (libraries.length === 0) throw new UsageError('export: name at least one library, such as /owner/repo.')
      const file = options.output ?? defaultFile
      if (file === '') throw new UsageError('export: the name of the file is empty. Name a new file.')
      if (existsSync(file)) throw new UsageError(`export: ${file} exists already. Name a new file with -o.`)
      return run('export', (ports) => endOnInterrupt((signal) => exportTo(ports, libraries, file, signal)))
    })
}

async function printKey({ api }: CommandPorts, isNew: boolean): Promise<void> {
  const { publicKey } = await (await call(isNew ? api.export.key.$post() : api.export.key.$get())).json()
  printAnswer(publicKey.trim())
}

async function exportTo(ports: CommandPorts, names: string[], file: string, signal: AbortSignal): Promise<void> {
  const { send, progress } = ports
  const libraries: string[] = []
  for (const name of names) libraries.push(printLibraryId(await namedLibrary(ports, name)))
  progress.show('Reading the libraries')
  const headers = { 'content-type': 'application/json' }
  const answer = await call(send('/api/export', { method: 'POST', headers, body: JSON.stringify({ libraries }), signal }))
  let bytes = 0
  const counted = new Transform({
    transform(piece: Buffer, _, done) {
      bytes += piece.length
      progress.show(`${fileSize(bytes)} written`)
      done(bytes > bundleLimits.zipBytes ? tooLarge() : null, piece)
    },
  })
  const body = Readable.fromWeb(answer.body as Parameters<typeof Readable.fromWeb>[0])
  const received = pipeline(body, counted).catch((error: unknown) => {
    signal.throwIfAborted()
    throw error instanceof AppError ? error : endedEarly(error)
  })
  const [sent, written] = await Promise.allSettled([received, writeBackupFile(file, counted, signal, 'bundle')])
  if (sent.status === 'rejected' && sent.reason instanceof AppError && isOfServer(written)) throw sent.reason
  for (const each of [written, sent]) if (each.status === 'rejected') throw each.reason
  progress.clear()
  printDone(`${file}: ${fileSize(bytes)}, ${pluralize(libraries.length, 'library', 'libraries')}`)
}

/** True unless the file itself cannot be written, which then is the cause. */
const isOfServer = (written: PromiseSettledResult<void>): boolean =>
  !(written.status === 'rejected' && written.reason instanceof AppError && written.reason.code !== 'command_failed')

const tooLarge = () =>
  new AppError(
    'command_failed',
    `The bundle has more than ${fileSize(bundleLimits.zipBytes)}, the limit of an import. Export fewer libraries at a time. No file was written.`,
  )

const endedEarly = (cause: unknown) =>
  new AppError('command_failed', 'The server ended the export early; its log says why. No file was written.', { cause })
