/**
 * Maps each folder of a listing that holds an older version to the folder with the newest one: `v1` next to `v2`, `version-1.x` next to
 * `version-2.x`, `1.9` next to `1.10`. Bare numbers are ignored, since they may be chapters or years. In Docusaurus all of `versioned_docs` is
 * older than `docs` next to it.
 */
export function outdatedFolders(names: string[]): Map<string, string> {
  const outdated = new Map<string, string>()
  if (names.includes('versioned_docs') && names.includes('docs')) outdated.set('versioned_docs', 'docs')
  const families = Map.groupBy(names.flatMap(versionOf), ({ family }) => family)
  for (const versions of families.values()) {
    const newest = versions.reduce((best, version) => (isNewer(version.numbers, best.numbers) ? version : best))
    for (const { name } of versions) if (name !== newest.name) outdated.set(name, newest.name)
  }
  return outdated
}

type VersionFolder = { name: string; family: string; numbers: number[] }

function versionOf(name: string): VersionFolder[] {
  const [, family = '', numbers = '', rest] = /^(version[-_]?|v)?(\d{1,4}(?:\.\d{1,4}){0,3})(\.x)?$/i.exec(name) ?? []
  const isBare = family === '' && rest === undefined && !numbers.includes('.')
  if (numbers === '' || isBare) return []
  return [{ name, family: family.toLowerCase(), numbers: numbers.split('.').map(Number) }]
}

function isNewer(one: number[], other: number[]): boolean {
  const at = one.findIndex((number, index) => number !== (other[index] ?? 0))
  return at >= 0 && (one[at] ?? 0) > (other[at] ?? 0)
}
