import { execFile } from 'node:child_process'
import { setTimeout as sleep } from 'node:timers/promises'
import { promisify } from 'node:util'
import { median, type Report, timed } from '../report.ts'
import { startServerProcess } from './server-process.ts'

const runs = 5

/** `npm start` on an empty data directory that was there before. */
export async function benchStart({ note }: Report, folder: string): Promise<void> {
  const ready: number[] = []
  const idle: number[] = []
  const cpu: number[] = []
  const floors: { ms: number; cpuSeconds: number }[] = []
  for (let run = 0; run <= runs; run++) {
    const server = await startServerProcess(folder)
    const startedCpu = server.cpuSeconds()
    await sleep(3000)
    if (run > 0) {
      ready.push(server.readyMs)
      idle.push(server.rssMb())
      cpu.push(startedCpu)
      floors.push(await emptyServer())
    }
    await server.stop()
  }
  note({ figure: 'npm start to /api/ready', wanted: { max: 1500 }, measured: median(ready), unit: 'ms', cpuSeconds: median(cpu) })
  note({
    figure: '  floor: node with an empty HTTP server',
    measured: median(floors.map(({ ms }) => ms)),
    unit: 'ms',
    cpuSeconds: median(floors.map(({ cpuSeconds }) => cpuSeconds)),
  })
  note({ figure: '  idle RSS', wanted: { max: 200 }, measured: median(idle), unit: 'MB' })
}

const listens = `require('node:http').createServer().listen(0, () => {
  console.log(JSON.stringify(process.cpuUsage()))
  process.exit()
})`

/** The least that the start of a server takes. */
async function emptyServer(): Promise<{ ms: number; cpuSeconds: number }> {
  let cpuSeconds = 0
  const ms = await timed(async () => {
    const { stdout } = await promisify(execFile)(process.execPath, ['-e', listens])
    const { user, system } = JSON.parse(stdout) as NodeJS.CpuUsage
    cpuSeconds = (user + system) / 1e6
  })
  return { ms, cpuSeconds }
}
