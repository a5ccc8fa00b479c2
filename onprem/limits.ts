import { availableParallelism } from 'node:os'

const mb = 1024 * 1024

/** What one repository may cost. Each refusal names its limit. */
export const cloneLimits = { cloneBytes: 2048 * mb, files: 1_000_000, fileBytes: 10 * mb, timeMs: 30 * 60_000, idleMs: 60_000 }
export const documentLimits = { fileBytes: 10 * mb, files: 100_000 }
export const splitLimits = { workers: Math.min(4, Math.max(1, availableParallelism())), timeMs: 20_000, heapMb: 512 }
export const probeTimeMs = 20_000
