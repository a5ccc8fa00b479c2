import type { Documentation } from './documentation.ts'
import { randomFrom, zipf } from './random.ts'

const sentenceWords = 14
/** One word in so many is a new identifier of two words, as real documentation keeps naming new things. */
const newWordEvery = 12

/** The different words of the documentation in ASCII letters, the most frequent first. */
export function vocabularyOf({ libraries }: Documentation): string[] {
  const counts = new Map<string, number>()
  for (const { files } of libraries)
    for (const text of files.values())
      for (const [word] of text.matchAll(/[a-z]{2,20}/gi))
        counts.set(word.toLowerCase(), (counts.get(word.toLowerCase()) ?? 0) + 1)
  return [...counts].sort((a, b) => b[1] - a[1]).map(([word]) => word)
}

/** Generated prose of real words, by Zipf's law. No sentence and no paragraph repeats, and the vocabulary keeps growing. */
export function proseWriter(vocabulary: string[], seed: number): (characters: number) => string {
  const random = randomFrom(seed)
  const word = () => vocabulary[zipf(random, vocabulary.length)] ?? ''
  const some = () => Math.floor(random() * vocabulary.length)
  const name = () => `${vocabulary[some()]}${vocabulary[some()]?.replace(/^./, (first) => first.toUpperCase())}`
  let written = 0
  return (characters) => {
    const sentences: string[] = []
    for (let length = 0; length < characters; ) {
      const words = Array.from({ length: sentenceWords }, () => (++written % newWordEvery === 0 ? name() : word()))
      const sentence = `${words.join(' ')}.`
      sentences.push(sentence)
      length += sentence.length + 1
    }
    return sentences.join(' ').slice(0, characters)
  }
}
