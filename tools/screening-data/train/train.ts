import { bestWindow, featuresOf, perWord, windowsOf } from '../../../shared/screening/classifier.ts'
import { foundIn } from '../../../shared/screening/instructions.ts'
import { wordsOf } from '../../../shared/screening/words.ts'
import { randomFrom } from '../attacks/random.ts'

/** The hashes of the words of a text. `weight` is its share in the loss. */
export type Example = { features: Int32Array; isAttack: boolean; weight: number }
/** The weight of each hash that has one. */
export type Trained = { weights: Map<number, number>; bias: number }

export type Training = { epochs: number; rate: number; decay: number; dropout: number; minAttacks: number }

const maxWords = 700

export function exampleOf(text: string, isAttack: boolean, weight: number): Example {
  const words = wordsOf(text).slice(0, maxWords)
  return { features: featuresOf(words, foundIn(text, words)), isAttack, weight }
}

/**
 * Logistic regression over the best window of each text, by AdaGrad: an attack is as bad as its worst words, and a page is ordinary only if all of
 * its windows are. Only what occurs in some attacks has a weight, so that new words decide nothing. Some features of a window are left out
 * at random, so that none decides alone.
 */
export function train(examples: Example[], { epochs, rate, decay, dropout, minAttacks }: Training): Trained {
  const numbers = numbersOf(
    examples.filter(({ isAttack }) => isAttack),
    minAttacks,
  )
  const numbered = examples.map((example) => ({ ...example, features: example.features.map((hash) => numbers.get(hash) ?? 0) }))
  const weights = new Float32Array(numbers.size + 1)
  const squares = new Float32Array(numbers.size + 1).fill(1e-3)
  const random = randomFrom(7)
  let bias = -2
  for (let epoch = 0; epoch < epochs; epoch++)
    for (const { features, isAttack, weight } of shuffled(numbered, random)) {
      const length = features.length / perWord
      const windows = epoch === 0 ? [...windowsOf(length)] : []
      const window =
        epoch === 0
          ? windows[random.below(windows.length)]
          : bestWindow(
              sumsOf(features, (each) => weights[each] as number),
              bias,
            )
      if (window === undefined) continue
      const share = 1 / Math.sqrt(window.to - window.from)
      const used: number[] = []
      let score = bias
      for (let f = window.from * perWord; f < window.to * perWord; f++) {
        const feature = features[f] as number
        if (feature === 0 || random.next() < dropout) continue
        used.push(feature)
        score += ((weights[feature] as number) * share) / (1 - dropout)
      }
      const error = (1 / (1 + Math.exp(-score)) - (isAttack ? 1 : 0)) * weight
      bias -= rate * 0.02 * error
      if (Math.abs(error) < 1e-4) continue
      for (const feature of used) {
        const gradient = error * share + decay * (weights[feature] as number)
        squares[feature] = (squares[feature] as number) + gradient * gradient
        weights[feature] = (weights[feature] as number) - (rate * gradient) / Math.sqrt(squares[feature] as number)
      }
    }
  return { weights: new Map([...numbers].map(([hash, number]) => [hash, weights[number] as number])), bias }
}

/** The sum of the weights of each word. */
function sumsOf(features: Int32Array, weightOf: (hash: number) => number): Float32Array {
  const sums = new Float32Array(features.length / perWord)
  for (let f = 0; f < features.length; f++) {
    const feature = features[f] as number
    if (feature !== 0) sums[Math.floor(f / perWord)] = (sums[Math.floor(f / perWord)] as number) + weightOf(feature)
  }
  return sums
}

/** Numbers from 1 for the hashes that occur in enough attacks. */
function numbersOf(attacks: Example[], minAttacks: number): Map<number, number> {
  const counts = new Map<number, number>()
  for (const { features } of attacks)
    for (const hash of new Set(features)) if (hash !== 0) counts.set(hash, (counts.get(hash) ?? 0) + 1)
  const frequent = [...counts].filter(([, count]) => count >= minAttacks).map(([hash]) => hash)
  return new Map(frequent.map((hash, i) => [hash, i + 1]))
}

function shuffled<T>(list: readonly T[], random: ReturnType<typeof randomFrom>): T[] {
  const order = [...list]
  for (let i = order.length - 1; i > 0; i--) {
    const j = random.below(i + 1)
    ;[order[i], order[j]] = [order[j] as T, order[i] as T]
  }
  return order
}
