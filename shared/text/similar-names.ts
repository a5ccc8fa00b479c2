import { editDistance } from './edit-distance.ts'

const maxCharacters = 60

/** Up to three known names that resemble a requested one or end with it after a dot, the nearest first. */
export function similarNames(name: string, knownNames: readonly string[]): string[] {
  const requested = name.toLowerCase().slice(0, maxCharacters)
  const maxDistance = Math.max(2, Math.floor(requested.length / 4))
  const distance = (each: string) =>
    each.toLowerCase().endsWith(`.${requested}`) ? 0 : editDistance(each.toLowerCase(), requested, maxDistance)
  const similar = knownNames.map((each) => ({ each, distance: distance(each) })).filter((other) => other.distance <= maxDistance)
  return similar
    .sort((a, b) => a.distance - b.distance)
    .slice(0, 3)
    .map(({ each }) => each)
}
