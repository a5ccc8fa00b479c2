/** The longest text of a batch times its texts. Each is padded to the longest, and a question waits for at most one batch. */
const maxPaddedChars = 2_048

/** The places of the texts in batches of similar length, so that little of a batch is padding. */
export function lengthBatches(texts: readonly string[]): number[][] {
  const batches: number[][] = []
  let batch: number[] = []
  const places = texts.map((_, place) => place).toSorted((a, b) => lengthAt(texts, a) - lengthAt(texts, b))
  for (const place of places) {
    if (batch.length > 0 && (batch.length + 1) * lengthAt(texts, place) > maxPaddedChars) {
      batches.push(batch)
      batch = []
    }
    batch.push(place)
  }
  return batch.length > 0 ? [...batches, batch] : batches
}

const lengthAt = (texts: readonly string[], place: number): number => texts[place]?.length ?? 0
