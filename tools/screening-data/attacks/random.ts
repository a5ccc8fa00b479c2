/** Numbers that are the same in each run. */
export function randomFrom(seed: number) {
  let state = seed >>> 0
  const next = (): number => {
    state = (Math.imul(state, 1664525) + 1013904223) >>> 0
    let mixed = state ^ (state >>> 15)
    mixed = Math.imul(mixed, 0x2c1b3c6d)
    mixed ^= mixed >>> 12
    return (mixed >>> 0) / 2 ** 32
  }
  return {
    next,
    below: (limit: number): number => Math.floor(next() * limit),
    pick: <T>(list: readonly T[]): T => list[Math.floor(next() * list.length)] as T,
  }
}
