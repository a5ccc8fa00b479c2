/** A version number in the name of a tag, such as `v1.2.0`, `core@1.2.0` or `REL_16_2`. */
export type Release = {
  /** The text before the number, without `v` and separators: empty for `v1.2.0`, `core` for `core@1.2.0`. */
  series: string
  numbers: number[]
  /** The text after the number: `-rc.1`, `.Final`. */
  suffix: string
  isStable: boolean
}

const numberInName = /(?:^|[^0-9a-z.])v?(\d{1,9}(?:[._]\d{1,9}){0,5})(?![0-9])/i
const stableSuffix = /^(?:|\+.*|[a-z]|-\d{1,4}|[-._]?(?:final|release|ga|stable|lts|post\d{0,4}|sp\d{1,3}))$/i
const unstableWord =
  /(?:^|[^a-z])(?:alpha|beta|rc|pre|preview|prerelease|dev|nightly|canary|snapshot|next|experimental)(?:[^a-z]|$)/i

/** The release that the name of a tag names. Undefined if it holds no number. */
export function readRelease(name: string): Release | undefined {
  const match = numberInName.exec(name)
  if (!match) return undefined
  const before = name.slice(0, match.index + match[0].length - (match[1] ?? '').length)
  const suffix = name.slice(match.index + match[0].length)
  const series = before.replace(/(?:^|[^0-9a-z])v$/i, '').replace(/[^0-9a-z]$/i, '')
  const numbers = (match[1] ?? '').split(/[._]/).map(Number)
  return { series, numbers, suffix, isStable: stableSuffix.test(suffix) && !unstableWord.test(before) }
}

const byNumber = new Intl.Collator('en', { numeric: true })

/** Orders releases of a series from old to new: a stable one after its pre-releases. */
export function compareReleases(a: Release, b: Release): number {
  const length = Math.max(a.numbers.length, b.numbers.length)
  for (let i = 0; i < length; i++) {
    const difference = (a.numbers[i] ?? 0) - (b.numbers[i] ?? 0)
    if (difference !== 0) return difference
  }
  if (a.isStable !== b.isStable) return a.isStable ? 1 : -1
  return byNumber.compare(a.suffix, b.suffix)
}

/** The name of the newest stable release. Names that are only a number win over those of a package, such as `core@1.2.0`. */
export function newestStable(names: Iterable<string>): string | undefined {
  const stable = [...names].flatMap((name) => {
    const release = readRelease(name)
    return release?.isStable ? [{ name, release }] : []
  })
  const plain = stable.filter(({ release }) => release.series === '')
  const newestFirst = (plain.length > 0 ? plain : stable).sort((a, b) => compareReleases(b.release, a.release))
  return newestFirst[0]?.name
}
