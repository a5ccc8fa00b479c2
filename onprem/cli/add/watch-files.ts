import { createHash } from 'node:crypto'
import { createReadStream } from 'node:fs'
import { setTimeout as sleep } from 'node:timers/promises'
import { printDone } from '../../../shared/cli/print.ts'
import { AppError } from '../../../shared/errors.ts'
import { countOf } from '../../../shared/text/figures.ts'
import type { Connection } from '../api/connection.ts'
import { endOnInterrupt } from '../api/end-on-interrupt.ts'
import { summaryOf } from '../api/follow-jobs.ts'
import { isNotResponding } from '../api/server-fetch.ts'
import { shownCommand } from '../api/show-commands.ts'
import { watchJob } from '../api/watch-job.ts'
import type { CommandPorts } from '../api/with-connection.ts'
import type { LocalFile } from './folder-files.ts'
import { type LocalSource, listSource, uploadFiles } from './upload-files.ts'

/** The pause between two looks at the files. They are uploaded when two looks find the same. */
const lookEveryMs = 1_000
const reconnectEveryMs = 1_000

/**
 * Uploads the files, and again after each change of their content, until Ctrl-C. Waits for a server that restarts. Throws if the first upload
 * fails, if no server runs, or if the server is then of another version.
 */
export async function watchFiles(ports: CommandPorts, source: LocalSource): Promise<void> {
  if (ports.runJobs !== undefined)
    throw new AppError('command_failed', `--watch needs a running server. Start it: ${shownCommand('start')}`)
  let connected: Connection = ports
  await endOnInterrupt(async (signal) => {
    /** Repeats what a restart of the server has interrupted. */
    const withServer = async <T>(work: (ports: CommandPorts) => Promise<T>): Promise<T> => {
      for (;;) {
        try {
          return await work({ ...ports, ...connected })
        } catch (error) {
          if (!isNotResponding(error)) throw error
          ports.progress.remark('The server does not respond. Files are uploaded when it runs again.')
          connected = await nextConnection(ports, signal)
          ports.progress.remark('The server runs again.')
        }
      }
    }
    const upload = async (files: readonly LocalFile[]) => {
      const { queueId } = await withServer((now) => uploadFiles(now, source, files, signal))
      printDone(summaryOf(await withServer((now) => watchJob(now, queueId, { ...ports, signal }))))
    }
    let sent: string | undefined
    let seen = ''
    let uploaded = ''
    for (;;) {
      const files = await listSource(source)
      const stamp = JSON.stringify(files.map(({ path, sizeBytes, modifiedMs }) => [path, sizeBytes, modifiedMs]))
      if (sent === undefined) {
        sent = await digestOf(files)
        await upload(files)
        uploaded = stamp
        ports.progress.remark(`Watching ${source.path}, ${countOf(files.length, 'file')}. Ctrl-C ends this.`)
      } else if (stamp !== uploaded && stamp === seen) {
        uploaded = stamp
        const content = await digestOf(files)
        if (content !== sent) await upload(files).catch((error: unknown) => reportFailure(ports, error, signal))
        sent = content
      }
      seen = stamp
      await sleep(lookEveryMs, undefined, { signal })
    }
  })
}

/** A later change may be accepted. */
function reportFailure({ progress }: CommandPorts, error: unknown, signal: AbortSignal): void {
  if (signal.aborted || !(error instanceof AppError)) throw error
  progress.remark(`${error.message} The next change is uploaded again.`)
}

async function nextConnection({ reconnect }: CommandPorts, signal: AbortSignal): Promise<Connection> {
  for (;;) {
    const next = await reconnect()
    if (next) return next
    await sleep(reconnectEveryMs, undefined, { signal })
  }
}

/** Differs if a path or the content of a file differs. */
async function digestOf(files: readonly LocalFile[]): Promise<string> {
  const hash = createHash('sha256')
  for (const { path, file } of files) {
    hash.update(`${path}\0`)
    try {
      for await (const chunk of createReadStream(file)) hash.update(chunk)
    } catch {
      // A file that was deleted since changes the next look, and one that cannot be read fails the upload.
    }
    hash.update('\0')
  }
  return hash.digest('hex')
}
