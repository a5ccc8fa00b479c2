const scheme = /^(?:[a-z+]{2,10}:\/\/|git@)(?:[^/@\s]*@)?(?:www\.)?([^/:?#\s]+)(?::\d+)?[/:]?([^?#\s]*)/
const flatHosts = new Set(['github.com', 'bitbucket.org', 'codeberg.org', 'gitee.com', 'raw.githubusercontent.com'])
const nestedHosts = new Set(['gitlab.com'])
const registries = new Set(
  'npmjs.com pypi.org crates.io rubygems.org packagist.org nuget.org hex.pm pub.dev jsr.io docs.rs pkg.go.dev readthedocs.io'.split(
    ' ',
  ),
)
const registryWords = new Set(['package', 'packages', 'project', 'projects', 'crates', 'gems'])
const hostWords = new Set('www docs doc api developer developers learn co com org io dev net sh app rs go cn'.split(' '))

/**
 * The names that an address may mean, likeliest first: `owner/repo` on a code host, a package on a registry, else the name of the host and the
 * first two segments of the path. Undefined if the text is not an address.
 */
export function readAddress(text: string): string[] | undefined {
  const [, host = '', path = ''] = scheme.exec(text) ?? withoutScheme(text)
  if (host === '') return undefined
  const segments = path
    .replace(/\/-\/.*$/, '')
    .split('/')
    .filter((segment) => segment !== '')
  const last = segments.pop()
  if (last === undefined) return [hostName(host)]
  segments.push(last.replace(/\.git$/, ''))
  if (flatHosts.has(host)) return [segments.slice(0, 2).join('/')]
  if (nestedHosts.has(host)) return [grouped(segments)]
  if (registries.has(host)) return [packageName(segments)]
  return segments.length > 1 ? [hostName(host), grouped(segments), segments.slice(0, 2).join('/')] : [hostName(host)]
}

function withoutScheme(text: string): string[] {
  const [host = '', ...segments] = text.replace(/^www\./, '').split('/')
  return flatHosts.has(host) || nestedHosts.has(host) || registries.has(host) ? [text, host, segments.join('/')] : []
}

/** GitLab groups nest. An id joins them with `~` into one segment. */
const grouped = (segments: string[]): string =>
  segments.length > 2 ? `${segments.slice(0, -1).join('~')}/${segments.at(-1)}` : segments.join('/')

function packageName(segments: string[]): string {
  const name = registryWords.has(segments[0] ?? '') && segments.length > 1 ? segments.slice(1) : segments
  return name.slice(0, name[0]?.startsWith('@') ? 2 : 1).join('/')
}

/** `docs.example.com` → `example`, `next.example.dev` → `next.example`. */
function hostName(host: string): string {
  const labels = host.split('.')
  const distinctive = labels.filter((label) => !hostWords.has(label))
  return distinctive.length > 0 ? distinctive.join('.') : host
}
