import { addNumber, numberList } from '../search/words/number-list.ts'

/** The counts of numbers, in the order of their first occurrence. */
export type Counted = { numbers: Int32Array; chunks: Uint32Array; weights: Float32Array }

export type Occurrences = {
  /** Counts an occurrence. `chunk` is the number of the chunk, from 1 on, or -1 if it is in none. */
  add(number: number, chunk: number, weight: number): void
  /** The counts of at most `max` numbers. Counting starts again. */
  take(max: number): Counted
}

/** Counts in how many chunks of a page each number occurs, and the sum of its weights. */
export function occurrences(): Occurrences {
  const order = numberList()
  /** The last chunk with each number; 0 if it has not occurred. */
  let last = new Int32Array(1024)
  let chunks = new Int32Array(1024)
  let weights = new Float64Array(1024)
  const makeRoom = (number: number) => {
    const length = 2 ** Math.ceil(Math.log2(number + 1))
    const [lastBefore, chunksBefore, weightsBefore] = [last, chunks, weights]
    last = new Int32Array(length)
    chunks = new Int32Array(length)
    weights = new Float64Array(length)
    last.set(lastBefore)
    chunks.set(chunksBefore)
    weights.set(weightsBefore)
  }
  return {
    add(number, chunk, weight) {
      if (number >= last.length) makeRoom(number)
      const before = last[number] as number
      if (before === 0) addNumber(order, number)
      if (before !== chunk && chunk > 0) chunks[number] = (chunks[number] as number) + 1
      last[number] = chunk
      weights[number] = (weights[number] as number) + weight
    },
    take(max) {
      const numbers = order.numbers.slice(0, Math.min(order.length, max))
      const taken = { numbers, chunks: new Uint32Array(numbers.length), weights: new Float32Array(numbers.length) }
      for (let i = 0; i < order.length; i++) {
        const number = order.numbers[i] as number
        taken.chunks[i] = chunks[number] as number
        taken.weights[i] = weights[number] as number
        last[number] = 0
        chunks[number] = 0
        weights[number] = 0
      }
      order.length = 0
      return taken
    },
  }
}
