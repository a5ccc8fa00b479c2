import { closeSync, constants, openSync, readFileSync, writeSync } from 'node:fs'

/** A short text in a file that is rewritten in place. Never throws. */
export type ReadRecord = {
  /** The text that the process before left. */
  before: string
  write(text: string): void
  close(): void
}

/** The file is allocated when it is opened, so that it can be written even if the disk is full later. */
const allocatedBytes = 4096

/** Opens a record, which is written without a flush: the text outlives the process, and need not outlive the machine. */
export function readRecord(path: string, onError: (error: unknown) => void): ReadRecord {
  let file: number | undefined
  const attempt = (work: (open: number) => void) => {
    try {
      if (file !== undefined) work(file)
    } catch (error) {
      onError(error)
    }
  }
  let before = ''
  try {
    file = openSync(path, constants.O_RDWR | constants.O_CREAT, 0o600)
    before = readFileSync(file, 'utf8')
  } catch (error) {
    onError(error)
  }
  let size = Math.max(allocatedBytes, before.length)
  return {
    before,
    write(text) {
      // The rest of a longer text is overwritten.
      const bytes = Buffer.from(text.padEnd(size))
      size = bytes.length
      attempt((open) => writeSync(open, bytes, 0, size, 0))
    },
    close() {
      attempt(closeSync)
      file = undefined
    },
  }
}
