import { parentPort, workerData } from 'node:worker_threads'
import { packStatistics } from '../search/pack-statistics.ts'

const bytes = new Uint8Array(packStatistics(workerData))
parentPort?.postMessage(bytes, [bytes.buffer])
