import { Header } from 'tar/header'

export const tarBlockBytes = 512

/** The header of a file in a tar archive. Throws if its name is too long. */
export function tarHeader(path: string, size: number, mtime: Date): Buffer {
  const block = Buffer.alloc(tarBlockBytes)
  new Header({ path, size, mtime, mode: 0o600, uid: 0, gid: 0, type: 'File' }).encode(block)
  if (new Header(block).path !== path) throw new Error(`The name ${path} is too long for an archive.`)
  return block
}

export const tarPadding = (size: number): Buffer => Buffer.alloc((tarBlockBytes - (size % tarBlockBytes)) % tarBlockBytes)

/** The end of an archive. */
export const tarEnd = (): Buffer => Buffer.alloc(2 * tarBlockBytes)
