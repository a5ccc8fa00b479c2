import { mkdirSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { type Classifier, markOf, placeOf } from '../../../shared/screening/classifier.ts'
import type { Trained } from './train.ts'

const places = 2 ** 17
/** Larger weights than those of all but so few are cut. */
const cutShare = 0.001

/** The weights as bytes. Of two that share a place, the larger one stays. */
export function packed({ weights, bias }: Trained): Classifier {
  const sizes = [...weights.values()].map(Math.abs).sort((a, b) => b - a)
  const scale = (sizes[Math.floor(sizes.length * cutShare)] ?? 1) / 127
  const classifier = {
    weights: new Int8Array(places),
    marks: new Uint16Array(places),
    scale,
    bias,
    threshold: 0,
    hiddenThreshold: 0,
  }
  for (const [hash, weight] of [...weights].sort((a, b) => Math.abs(a[1]) - Math.abs(b[1]))) {
    const rounded = Math.max(-127, Math.min(127, Math.round(weight / scale)))
    if (rounded === 0) continue
    const place = placeOf(hash, places)
    classifier.weights[place] = rounded
    classifier.marks[place] = markOf(hash)
  }
  return classifier
}

/** Writes `classifier.json` and `classifier.bin`. */
export function writeClassifier(folder: string, { weights, marks, ...numbers }: Classifier): void {
  mkdirSync(folder, { recursive: true })
  writeFileSync(join(folder, 'classifier.json'), `${JSON.stringify(numbers, null, 2)}\n`)
  writeFileSync(join(folder, 'classifier.bin'), Buffer.concat([new Uint8Array(marks.buffer), new Uint8Array(weights.buffer)]))
}
