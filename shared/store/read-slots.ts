import { closeSync, constants, ftruncateSync, openSync, readSync, writeSync } from 'node:fs'

/** Names in a file, one per slot. Never throws. */
export type ReadSlots = {
  fill(name: string): number
  clear(slot: number): void
  /** Clears all slots. */
  close(): void
}

const slotBytes = 128
/** Slots are allocated when the file is opened, so that they can be written even if the disk is full later. */
const allocatedSlots = 64
const blank = Buffer.alloc(slotBytes, ' ')

/**
 * Slots are written without a flush: the names outlive the process, and need not outlive the machine. `keepNames` keeps the names
 * in the file.
 */
export function readSlots(
  path: string,
  { keepNames, onError }: { keepNames: boolean; onError(error: unknown): void },
): ReadSlots {
  let file: number | undefined
  const attempt = (work: (file: number) => void) => {
    if (file === undefined) return
    try {
      work(file)
    } catch (error) {
      onError(error)
    }
  }
  const write = (bytes: Buffer, slot: number) => attempt((open) => writeSync(open, bytes, 0, slotBytes, slot * slotBytes))
  const hasName = (slot: number): boolean => {
    const found = Buffer.alloc(slotBytes)
    attempt((open) => readSync(open, found, 0, slotBytes, slot * slotBytes))
    return found.some((byte) => byte !== 0 && byte !== blank[0])
  }
  try {
    // Does not truncate, so that an existing file keeps its slots on a full disk.
    file = openSync(path, constants.O_RDWR | constants.O_CREAT, 0o600)
  } catch (error) {
    onError(error)
  }
  const free: number[] = []
  for (let slot = allocatedSlots - 1; slot >= 0; slot--) {
    if (keepNames && hasName(slot)) continue
    write(blank, slot)
    free.push(slot)
  }
  if (!keepNames) attempt((open) => ftruncateSync(open, allocatedSlots * slotBytes))
  let slots = allocatedSlots

  return {
    fill(name) {
      const slot = free.pop() ?? slots++
      write(Buffer.from(`${name.padEnd(slotBytes).slice(0, slotBytes - 1)}\n`), slot)
      return slot
    },
    clear(slot) {
      write(blank, slot)
      free.push(slot)
    },
    close() {
      for (let slot = 0; slot < allocatedSlots; slot++) write(blank, slot)
      attempt((open) => ftruncateSync(open, allocatedSlots * slotBytes))
      attempt(closeSync)
      file = undefined
    },
  }
}
