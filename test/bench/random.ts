/** mulberry32: the same seed gives the same numbers, from 0 up to 1. */
export function randomFrom(seed: number): () => number {
  let state = seed
  return () => {
    state = (state + 0x6d2b79f5) | 0
    let mixed = Math.imul(state ^ (state >>> 15), 1 | state)
    mixed = (mixed + Math.imul(mixed ^ (mixed >>> 7), 61 | mixed)) ^ mixed
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 4294967296
  }
}

/** A number below `size`, by Zipf's law. */
export const zipf = (random: () => number, size: number): number => Math.min(size - 1, Math.floor((size + 1) ** random()) - 1)
