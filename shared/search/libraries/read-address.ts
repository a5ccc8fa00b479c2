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
 * The names that a typed address may stand for, likeliest first: `owner/repo` on a code host, a package on a registry,
 * else the host's own name and the first two steps of its path. Undefined where the text is no address.
 */
export function readAddress(text: string): string[] | undefined {
  const [, host = '', path = ''] = scheme.exec(text) ?? withoutScheme(text)
  if (host === '') return undefined
  const steps = path
    .replace(/\/-\/.*$/, '')
    .split('/')
    .filter((step) => step !== '')
  const last = steps.pop()
  if (last === undefined) return [hostName(host)]
  steps.push(last.replace(/\.git$/, ''))
  if (flatHosts.has(host)) return [steps.slice(0, 2).join('/')]
  if (nestedHosts.has(host)) return [grouped(steps)]
  if (registries.has(host)) return [packageName(steps)]
  return steps.length > 1 ? [hostName(host), grouped(steps), steps.slice(0, 2).join('/')] : [hostName(host)]
}

function withoutScheme(text: string): string[] {
  const [host = '', ...steps] = text.replace(/^www\./, '').split('/')
  return flatHosts.has(host) || nestedHosts.has(host) || registries.has(host) ? [text, host, steps.join('/')] : []
}

/** Groups of GitLab nest; in an id they are one segment, joined with `~`. */
const grouped = (steps: string[]): string =>
  steps.length > 2 ? `${steps.slice(0, -1).join('~')}/${steps.at(-1)}` : steps.join('/')

function packageName(steps: string[]): string {
  const name = registryWords.has(steps[0] ?? '') && steps.length > 1 ? steps.slice(1) : steps
  return name.slice(0, name[0]?.startsWith('@') ? 2 : 1).join('/')
}

/** `docs.example.com` → `example`, `next.example.dev` → `next.example`. */
function hostName(host: string): string {
  const labels = host.split('.')
  const telling = labels.filter((label) => !hostWords.has(label))
  return telling.length > 0 ? telling.join('.') : host
}
