import { randomUUID } from 'node:crypto'
import { rm } from 'node:fs/promises'
import { join } from 'node:path'
import type { Hosted } from '../../../functions/hosted.ts'
import { developmentPair } from '../../../shared/keys/development-pair.ts'
import { signLicense } from '../../../shared/keys/license.ts'
import { median, type Report } from '../report.ts'
import { addBenchLibrary, madeUp } from './add-bench-library.ts'
import { type HostedProcess, onFreshHosted } from './hosted-process.ts'
import { withHosted } from './temp-hosted.ts'

const runs = 3

/** Export of 50,000 snippets over HTTP from a new process. */
export async function benchExport(report: Report, folder: string): Promise<void> {
  const dataDir = join(folder, 'export')
  const { license, bytes } = await withHosted(dataDir, async (hosted) => ({
    license: await offlineLicense(hosted, dataDir),
    bytes: await addBenchLibrary(hosted, '/bench/export', madeUp(50_000, 1)),
  }))
  const unstage = () => rm(join(dataDir, 'objects', 'exports'), { recursive: true, force: true })
  const cold: Taken[] = []
  const again: Taken[] = []
  const staged: Taken[] = []
  for (let run = 0; run < runs; run++) {
    await unstage()
    await onFreshHosted(dataDir, async (server, idleMb) => {
      cold.push(await take(server, license, idleMb))
      await unstage()
      again.push(await take(server, license, idleMb))
    })
    await onFreshHosted(dataDir, async (server, idleMb) => staged.push(await take(server, license, idleMb)))
  }
  const what = `export of 50,000 snippets, ${(bytes / 1e6).toFixed(0)} MB`
  noteExport(report, `${what}, not cached, first request of the process`, cold)
  noteExport(report, '  not cached, later', again)
  noteExport(report, '  cached, first request of the process', staged)
}

type Taken = { firstByteMs: number; seconds: number; idleMb: number; aboveMb: number }

function noteExport({ note }: Report, figure: string, taken: Taken[]): void {
  const firstByte = median(taken.map(({ firstByteMs }) => firstByteMs))
  const peak = median(taken.map(({ aboveMb }) => aboveMb))
  const whole = median(taken.map(({ seconds }) => seconds))
  note({
    figure: `${figure}: first byte`,
    wanted: { max: 300 },
    measured: firstByte,
    unit: 'ms',
    more: `whole in ${whole.toFixed(1)} s`,
  })
  const idle = median(taken.map(({ idleMb }) => idleMb))
  note({
    figure: '    peak RSS above idle',
    wanted: { max: 250 },
    measured: peak,
    unit: 'MB',
    more: `idle ${idle.toFixed(0)} MB`,
  })
}

async function take(server: HostedProcess, license: string, idleMb: number): Promise<Taken> {
  const began = performance.now()
  const answer = await fetch(`${server.url}/api/v1/enterprise/export`, {
    method: 'POST',
    headers: { authorization: `Bearer ${license}`, 'content-type': 'application/json' },
    body: JSON.stringify({ library: 'bench/export' }),
  })
  if (!answer.ok || answer.body === null) throw new Error(`HTTP ${answer.status}: ${await answer.text()}`)
  let firstByteMs = Number.NaN
  for await (const _ of answer.body) if (Number.isNaN(firstByteMs)) firstByteMs = performance.now() - began
  return { firstByteMs, seconds: (performance.now() - began) / 1000, idleMb, aboveMb: server.peakMb() - idleMb }
}

async function offlineLicense({ licenses }: Hosted, dataDir: string): Promise<string> {
  const expiresAt = new Date(Math.floor(Date.now() / 1000) * 1000 + 86_400_000).toISOString()
  const license = { id: randomUUID(), customer: 'Bench', kind: 'offline' as const, expiresAt }
  await licenses.record(license)
  return signLicense(license, developmentPair(dataDir, 'license').privatePem)
}
