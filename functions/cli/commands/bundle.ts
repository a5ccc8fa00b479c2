import { createWriteStream } from 'node:fs'
import { rename, rm } from 'node:fs/promises'
import { Readable } from 'node:stream'
import { pipeline } from 'node:stream/promises'
import { setTimeout as sleep } from 'node:timers/promises'
import type { Command } from 'commander'
import { printAnswer, printRemark } from '../../../shared/cli/print.ts'
import { AppError } from '../../../shared/errors.ts'
import type { BundleStatus } from '../../bundles/bundle-status.ts'
import { zipLimits } from '../../bundles/plan-zip.ts'
import type { Admin, UseAdmin } from '../api/admin.ts'

const pauseMs = 250

export function bundleCommand(program: Command, admin: UseAdmin): void {
  program
    .command('bundle')
    .description(`write libraries into a bundle for installs without internet, up to ${zipLimits.libraries}`)
    .argument('<out.zip>', 'file to write')
    .argument('<library...>', 'such as /owner/repo')
    .action(async (out: string, libraries: string[]) => {
      await admin(async (hosted) => {
        const { id } = await hosted.ask<{ id: string }>('/bundles', { libraries })
        await download(await waitUntilBuilt(hosted, id), out)
        printAnswer(out)
      })
    })
}

/** Returns the download address of the bundle when it is built. */
async function waitUntilBuilt({ ask }: Admin, id: string): Promise<string> {
  for (let shown = ''; ; ) {
    const state = await ask<BundleStatus>(`/bundles/${id}`)
    if (state.state === 'failed') throw new AppError(state.code, state.message)
    if (state.state === 'built') return state.url
    const line = state.total === 0 ? '' : `${state.done} of ${state.total} versions`
    if (line !== shown) printRemark(line)
    shown = line
    await sleep(pauseMs)
  }
}

/** Atomic: a failed download leaves no file. */
async function download(url: string, out: string): Promise<void> {
  const part = `${out}.part`
  try {
    await pipeline(await opened(url), createWriteStream(part))
    await rename(part, out)
  } catch (error) {
    await rm(part, { force: true })
    if (error instanceof AppError) throw error
    throw new AppError('validation_error', `${out} cannot be written: ${(error as Error).message}.`, { cause: error })
  }
}

async function opened(url: string): Promise<Readable> {
  const response = await fetch(url)
  if (!response.ok || !response.body)
    throw new AppError('command_failed', `The bundle cannot be downloaded: the server returned status ${response.status}.`)
  return Readable.fromWeb(response.body as never)
}
