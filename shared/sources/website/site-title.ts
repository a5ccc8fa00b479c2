const separator = /\s(?:[|·•—–-]|::)\s/g

/** The name that most titles end or begin with, as in `Routing | Hono`; empty if there is none. */
export function siteTitle(titles: string[]): string {
  const counts = new Map<string, number>()
  for (const title of titles) for (const name of new Set(endsOf(title))) counts.set(name, (counts.get(name) ?? 0) + 1)
  const [best] = [...counts].sort(([, a], [, b]) => b - a)
  return best && titles.length > 2 && best[1] * 2 > titles.length ? best[0] : ''
}

/** The title of a page without the name of its site. */
export function withoutSiteName(title: string, site: string): string {
  if (site === '' || title === site) return title
  const parts = title.split(separator)
  if (parts.at(-1) === site)
    return title
      .slice(0, -site.length)
      .trimEnd()
      .replace(/\s\S{1,2}$/, '')
      .trimEnd()
  return parts[0] === site ? title.slice(site.length).replace(/^\s+\S{1,2}\s+/, '') : title
}

function endsOf(title: string): string[] {
  const parts = title.split(separator)
  return parts.length < 2 ? [] : [parts[0] ?? '', parts.at(-1) ?? '']
}
