import { cpSync, readdirSync, readFileSync } from 'node:fs'
import { basename, join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import type { TestInstall } from '../fixtures/test-install.ts'

/** The folders of the models in `folder`. */
export const modelsIn = (folder: string): string[] =>
  readdirSync(folder, { withFileTypes: true })
    .filter((entry) => entry.isDirectory())
    .map(({ name }) => join(folder, name))
    .sort()

/** Gives all libraries the vectors of the model in `folder`. Returns the CPU seconds. */
export async function useModel(install: TestInstall, folder: string): Promise<number> {
  const model = basename(folder)
  cpSync(folder, join(install.dataDir, 'models', model), { recursive: true })
  install.app.settings.change({ 'embedding.provider': 'local', 'embedding.model': model })
  return await makeVectors(install)
}

/** Waits until all libraries have the vectors of the provider that is set. Returns the CPU seconds of this process and its children. */
export async function makeVectors(install: TestInstall): Promise<number> {
  const before = cpuSeconds()
  const { status, body } = await install.call('POST', '/api/reindex')
  if (status !== 202 && status !== 200) throw new Error(JSON.stringify(body))
  while (install.app.jobs.active().length > 0) await sleep(100)
  const failed = install.app.jobs.list(1, 200).jobs.find(({ state }) => state === 'failed')
  if (failed) throw new Error(`${failed.project}: ${failed.error}`)
  return cpuSeconds() - before
}

const ticksPerSecond = 100

/** The CPU time of this process and of its children, running or ended. Linux only. */
function cpuSeconds(): number {
  const { user, system } = process.cpuUsage()
  return (user + system) / 1_000_000 + (endedChildren() + runningChildren()) / ticksPerSecond
}

/** From the third field of `/proc/PID/stat` on: the name before it may have spaces. */
const statOf = (process: string): number[] =>
  readFileSync(`/proc/${process}/stat`, 'utf8').split(') ').at(-1)?.split(' ').map(Number) ?? []
const sum = (stat: number[], first: number): number => (stat[first] ?? 0) + (stat[first + 1] ?? 0)
const [userTicks, userTicksOfChildren] = [11, 13]

const endedChildren = (): number => sum(statOf('self'), userTicksOfChildren)
const runningChildren = (): number =>
  readdirSync('/proc/self/task')
    .flatMap((thread) => readFileSync(`/proc/self/task/${thread}/children`, 'utf8').split(' '))
    .filter((process) => process !== '')
    .reduce((total, process) => total + sum(statOf(process), userTicks), 0)
