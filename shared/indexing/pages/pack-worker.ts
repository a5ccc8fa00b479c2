import { parentPort, workerData } from 'node:worker_threads'
import { packStatistics } from '../../search/statistics/pack-statistics.ts'

const bytes = packStatistics(workerData)
parentPort?.postMessage(bytes, [bytes.buffer])
