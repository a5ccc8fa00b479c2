import type { FoundLibrary } from './rank-libraries.ts'

type Match = Pick<FoundLibrary, 'exact' | 'sameOwner'>

/** Found libraries below a heading, which the first group lacks if it has an exact match. */
export type MatchGroup<Library> = { heading?: string; libraries: Library[] }

/** Groups for people and agents, who would otherwise take the first library for the one that they mean. */
export function matchGroups<Library extends Match>(results: Library[]): MatchGroup<Library>[] {
  const [first] = results
  if (first?.exact !== false) return [{ libraries: results }]
  const owner = { name: 'of the same owner:', libraries: results.filter(({ sameOwner }) => sameOwner) }
  const similar = { name: 'similar names:', libraries: results.filter(({ sameOwner }) => !sameOwner) }
  const [best, other] = first.sameOwner ? [owner, similar] : [similar, owner]
  const groups = [{ heading: `No exact match; ${best.name}`, libraries: best.libraries }]
  if (other.libraries.length > 0) groups.push({ heading: capitalized(other.name), libraries: other.libraries })
  return groups
}

const capitalized = (text: string): string => text.slice(0, 1).toUpperCase() + text.slice(1)
