import { Worker } from 'node:worker_threads'
import { childEnv } from './child-env.ts'

/** Typed arrays are outside the heap. */
export type ThreadLimits = { heapMb: number; youngHeapMb?: number; stackMb?: number }

/** Starts a thread, whose environment is that of `childEnv`. */
export const startThread = (script: URL, { data, limits }: { data?: unknown; limits?: ThreadLimits } = {}): Worker =>
  new Worker(script, {
    workerData: data,
    env: childEnv(),
    ...(limits && {
      resourceLimits: {
        maxOldGenerationSizeMb: limits.heapMb,
        maxYoungGenerationSizeMb: limits.youngHeapMb,
        stackSizeMb: limits.stackMb,
      },
    }),
  })

/** True for the error of a thread that needed more than its heap. */
export const isOutOfMemory = (error: unknown): boolean =>
  error instanceof Error && 'code' in error && error.code === 'ERR_WORKER_OUT_OF_MEMORY'
