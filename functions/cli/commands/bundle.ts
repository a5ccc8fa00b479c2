import { setTimeout as sleep } from 'node:timers/promises'
import type { Command } from 'commander'
import { printAnswer, printRemark } from '../../../shared/cli/print.ts'
import { AppError } from '../../../shared/errors.ts'
import { readNetwork } from '../../../shared/settings/read-network.ts'
import type { BundleStatus } from '../../bundles/bundle-status.ts'
import { zipLimits } from '../../bundles/plan-zip.ts'
import type { Admin, UseAdmin } from '../api/admin.ts'
import { type BuiltBundle, downloadBundle } from '../api/download-bundle.ts'

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
        await downloadBundle(readNetwork(process.env), await waitUntilBuilt(hosted, id), out)
        printAnswer(out)
      })
    })
}

async function waitUntilBuilt({ ask }: Admin, id: string): Promise<BuiltBundle> {
  for (let shown = ''; ; ) {
    const state = await ask<BundleStatus>(`/bundles/${id}`)
    if (state.state === 'failed') throw new AppError(state.code, state.message)
    if (state.state === 'built') return state
    const line = state.total === 0 ? '' : `${state.done} of ${state.total} versions`
    if (line !== shown) printRemark(line)
    shown = line
    await sleep(pauseMs)
  }
}
