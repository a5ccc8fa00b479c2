/** A sentence in two languages as numbers of its different words. */
export type NumberedPair = { foreign: Uint32Array; english: Uint32Array }
/** The probability that a foreign word means an English one. */
export type Translation = { english: number; probability: number }

/**
 * IBM Model 1 (Brown et al., 1993, without an empty word): every English word of a sentence is explained by the foreign words of the sentence.
 * Returns the translations of each foreign word, most probable first.
 */
export function alignWords(pairs: NumberedPair[], foreignWords: number, englishWords: number, rounds = 6): Translation[][] {
  const { slots, starts, english } = numberWordPairs(pairs, foreignWords, englishWords)
  const size = english.length
  const probabilities = new Float64Array(size).fill(1)
  for (let round = 0; round < rounds; round++) {
    const counts = new Float64Array(size)
    let at = 0
    for (const pair of pairs) {
      const width = pair.foreign.length
      for (let e = 0; e < pair.english.length; e++, at += width) {
        let sum = 0
        for (let f = 0; f < width; f++) sum += probabilities[slots[at + f] as number] as number
        for (let f = 0; f < width; f++) {
          const slot = slots[at + f] as number
          counts[slot] = (counts[slot] as number) + (probabilities[slot] as number) / sum
        }
      }
    }
    for (let word = 0; word < foreignWords; word++)
      normalize(counts, probabilities, starts[word] as number, starts[word + 1] as number)
  }
  return Array.from({ length: foreignWords }, (_, word) => {
    const [from, to] = [starts[word] as number, starts[word + 1] as number]
    return Array.from({ length: to - from }, (_, i) => ({
      english: english[from + i] as number,
      probability: probabilities[from + i] as number,
    })).sort((a, b) => b.probability - a.probability || a.english - b.english)
  })
}

function normalize(counts: Float64Array, probabilities: Float64Array, from: number, to: number): void {
  let sum = 0
  for (let slot = from; slot < to; slot++) sum += counts[slot] as number
  for (let slot = from; slot < to; slot++) probabilities[slot] = (counts[slot] as number) / sum
}

/**
 * Gives each pair of words that share a sentence a slot. `slots`: the slot of every combination in every sentence, English word by English
 * word. The slots of foreign word `f` are `starts[f]` to `starts[f + 1]`; `english` has the English word of a slot.
 */
function numberWordPairs(pairs: NumberedPair[], foreignWords: number, englishWords: number) {
  const bases: number[] = []
  let combinations = 0
  const places: [pair: number, place: number][][] = Array.from({ length: foreignWords }, () => [])
  pairs.forEach(({ foreign, english }, pair) => {
    bases.push(combinations)
    combinations += foreign.length * english.length
    foreign.forEach((word, place) => {
      places[word]?.push([pair, place])
    })
  })
  const slots = new Uint32Array(combinations)
  const starts = [0]
  const english: number[] = []
  const slotOf = new Int32Array(englishWords)
  const seenWith = new Int32Array(englishWords).fill(-1)
  for (let word = 0; word < foreignWords; word++) {
    for (const [number, place] of places[word] ?? []) {
      const pair = pairs[number] as NumberedPair
      pair.english.forEach((other, e) => {
        if (seenWith[other] !== word) {
          seenWith[other] = word
          slotOf[other] = english.length
          english.push(other)
        }
        slots[(bases[number] as number) + e * pair.foreign.length + place] = slotOf[other] as number
      })
    }
    starts.push(english.length)
  }
  return { slots, starts, english }
}
