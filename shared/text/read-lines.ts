const maxChars = 16 * 1024 * 1024

/** The lines of a text. Lines are cut after about 16 M characters, so that no file fills the memory. */
export async function* readLines(chunks: AsyncIterable<Uint8Array>): AsyncGenerator<string> {
  const decoder = new TextDecoder()
  let rest = ''
  for await (const chunk of chunks) {
    const pieces = decoder.decode(chunk, { stream: true }).split('\n')
    for (const piece of pieces.slice(0, -1)) {
      yield extended(rest, piece)
      rest = ''
    }
    rest = extended(rest, pieces.at(-1) ?? '')
  }
  if (rest !== '') yield rest
}

const extended = (line: string, piece: string): string => (line.length < maxChars ? line + piece : line)
