/** Words numbered in the order in which they are first seen. */
export type WordNumbers = {
  words: string[]
  /** How often each word was added. */
  counts: number[]
  add(words: Iterable<string>): Uint32Array
  /** New numbers for the words that were added `min` times or more. `old`: the present number by the new one. */
  renumbered(min: number): { old: number[]; apply(numbers: Uint32Array): Uint32Array }
}

export function wordNumbers(): WordNumbers {
  const numbers = new Map<string, number>()
  const words: string[] = []
  const counts: number[] = []
  const numberOf = (word: string) => {
    const number = numbers.get(word)
    if (number !== undefined) return number
    numbers.set(word, words.length)
    counts.push(0)
    return words.push(word) - 1
  }
  return {
    words,
    counts,
    add: (added) =>
      Uint32Array.from(added, (word) => {
        const number = numberOf(word)
        counts[number] = (counts[number] as number) + 1
        return number
      }),
    renumbered(min) {
      const old = counts.flatMap((count, i) => (count >= min ? [i] : []))
      const numberByOld = new Map(old.map((each, i) => [each, i]))
      return { old, apply: (all) => Uint32Array.from([...all].flatMap((each) => numberByOld.get(each) ?? [])) }
    },
  }
}
