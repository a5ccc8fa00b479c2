/**
 * The folders of one listing that hold older versions of what another of them holds, each with the newer one.
 * `v1` beside `v2`, `version-1.x` beside `version-2.x` and `1.9` beside `1.10` are; bare numbers, which may be chapters or years, are not.
 * In Docusaurus all of `versioned_docs` is older than the `docs` beside it.
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
