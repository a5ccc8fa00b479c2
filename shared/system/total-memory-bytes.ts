import { totalmem } from 'node:os'

/** The memory of the machine or of the container. */
export const totalMemoryBytes = (): number => Math.min(totalmem(), process.constrainedMemory() || Number.POSITIVE_INFINITY)
