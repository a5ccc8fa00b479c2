import { setTimeout as sleep } from 'node:timers/promises'
import { median, type Report } from '../report.ts'
import { startServerProcess } from './server-process.ts'

const runs = 5

/** `npm start` on an empty data directory that was there before. */
export async function benchStart({ note }: Report, folder: string): Promise<void> {
  const ready: number[] = []
  const idle: number[] = []
  for (let run = 0; run <= runs; run++) {
    const server = await startServerProcess(folder)
    await sleep(3000)
    if (run > 0) {
      ready.push(server.readyMs)
      idle.push(server.rssMb())
    }
    await server.stop()
  }
  note({ figure: 'npm start to /api/ready', wanted: { max: 1500 }, measured: median(ready), unit: 'ms' })
  note({ figure: '  idle RSS', wanted: { max: 200 }, measured: median(idle), unit: 'MB' })
}
