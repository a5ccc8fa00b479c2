export const ecosystems = ['npm', 'pypi', 'crates', 'go', 'maven', 'nuget', 'rubygems'] as const
export type Ecosystem = (typeof ecosystems)[number]

/** A package of a registry, by its normal name. */
export type PackageName = { ecosystem: Ecosystem; name: string }

const patterns: Record<Ecosystem, RegExp> = {
  npm: /^(?:@[a-z0-9~][a-z0-9._~-]*\/)?[a-z0-9~_][a-z0-9._~-]*$/,
  pypi: /^[a-z0-9](?:[a-z0-9-]*[a-z0-9])?$/,
  crates: /^[a-z][a-z0-9-]*$/,
  go: /^[a-z0-9-]+(?:\.[a-z0-9-]+)+(?:\/(?!\.)[A-Za-z0-9._~-]+)*$/,
  maven: /^[A-Za-z0-9._-]+:[A-Za-z0-9._-]+$/,
  nuget: /^[a-z0-9_][a-z0-9._-]*$/,
  rubygems: /^[A-Za-z0-9_][A-Za-z0-9._-]*$/,
}
const maxLength = 214

/** The normal form of a name in its registry; undefined if the registry allows no such name. */
export function packageName(ecosystem: Ecosystem, text: string): PackageName | undefined {
  if (text.length > maxLength) return undefined
  const name = normalize[ecosystem](text)
  return patterns[ecosystem].test(name) ? { ecosystem, name } : undefined
}

const asWritten = (name: string): string => name
const lowerCase = (name: string): string => name.toLowerCase()

/** PyPI by PEP 503; crates.io treats `_` as `-`. */
const normalize: Record<Ecosystem, (name: string) => string> = {
  npm: lowerCase,
  pypi: (name) => name.toLowerCase().replaceAll(/[-_.]+/g, '-'),
  crates: (name) => name.toLowerCase().replaceAll('_', '-'),
  go: asWritten,
  maven: asWritten,
  nuget: lowerCase,
  rubygems: asWritten,
}
