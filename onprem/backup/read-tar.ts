import { Header } from 'tar/header'
import { excerpt } from '../../shared/text/excerpt.ts'
import { tarBlockBytes, tarPadding } from './tar-header.ts'

export type TarFile = { name: string; sizeBytes: number; content: AsyncIterable<Buffer> }

/**
 * The files of a tar archive, one after the other; each is read to its end before the next. Throws if the archive holds anything but plain files,
 * or ends early.
 */
export async function* readTar(source: AsyncIterable<Buffer>): AsyncGenerator<TarFile> {
  const bytes = byteReader(source)
  for (;;) {
    const block = await bytes.exactly(tarBlockBytes)
    if (isZero(block)) break
    const { cksumValid, path, size, type } = new Header(block)
    if (!cksumValid || path === undefined) throw new Error('it holds a damaged header')
    if (type !== 'File') throw new Error(`it holds ${excerpt(path)}, which is not a plain file`)
    if (size === undefined) throw new Error(`it holds ${excerpt(path)} of a wrong size`)
    let left = size
    async function* content() {
      for (; left > 0; ) {
        const piece = await bytes.upTo(left)
        left -= piece.length
        yield piece
      }
    }
    yield { name: path, sizeBytes: size, content: content() }
    while (left > 0) left -= (await bytes.upTo(left)).length
    await bytes.exactly(tarPadding(size).length)
  }
  if (!isZero(await bytes.exactly(tarBlockBytes)) || !(await bytes.isAtEnd())) throw new Error('more follows after its end')
}

const isZero = (block: Buffer): boolean => block.every((byte) => byte === 0)

function byteReader(source: AsyncIterable<Buffer>) {
  const pieces = source[Symbol.asyncIterator]()
  let piece: Buffer = Buffer.alloc(0)
  const fill = async (): Promise<boolean> => {
    while (piece.length === 0) {
      const next = await pieces.next()
      if (next.done) return false
      piece = next.value
    }
    return true
  }
  const upTo = async (count: number): Promise<Buffer> => {
    if (!(await fill())) throw new Error('it ends too early')
    const taken = piece.subarray(0, count)
    piece = piece.subarray(taken.length)
    return taken
  }
  return {
    /** Returns at least one byte. */
    upTo,
    async exactly(count: number): Promise<Buffer> {
      const taken: Buffer[] = []
      for (let left = count; left > 0; left -= taken.at(-1)?.length ?? 0) taken.push(await upTo(left))
      return Buffer.concat(taken)
    },
    isAtEnd: async () => !(await fill()),
  }
}
