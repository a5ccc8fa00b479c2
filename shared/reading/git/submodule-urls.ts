import { type GitRun, runGit } from './run-git.ts'

const maxBytes = 2 ** 20
const maxUrlChars = 300

/**
 * The addresses of submodules in `.gitmodules`, by path, as a browser opens them. Git reads the file from the commit, since in the working tree
 * it may be a link that leads out. Empty if there is no such file, or one that cannot be read.
 */
export async function submoduleUrls(
  commit: string,
  cloneUrl: string,
  run: Pick<GitRun, 'cwd' | 'env' | 'signal'>,
): Promise<[path: string, url: string][]> {
  const file = `${commit}:.gitmodules`
  const size = await output(['cat-file', '-s', file], run)
  if (size === '' || Number(size) > maxBytes) return []
  const text = await output(['config', '--null', '--blob', file, '--get-regexp', '^submodule\\..*\\.(path|url)$'], run)
  const modules = new Map<string, { path?: string; url?: string }>()
  for (const entry of text.split('\0')) {
    const [, name = '', key = '', value = ''] = /^submodule\.(.*)\.(path|url)\n(.*)$/s.exec(entry) ?? []
    if (key !== '') modules.set(name, { ...modules.get(name), [key]: value })
  }
  return [...modules.values()].flatMap(({ path, url }): [string, string][] => {
    const shown = url === undefined ? undefined : webAddress(url, cloneUrl)
    return path === undefined || shown === undefined ? [] : [[path.replace(/\/$/, ''), shown]]
  })
}

async function output(args: string[], run: Pick<GitRun, 'cwd' | 'env' | 'signal'>): Promise<string> {
  const chunks: Buffer[] = []
  const { ok } = await runGit(args, { ...run, onOutput: (chunk) => chunks.push(chunk) })
  return ok ? Buffer.concat(chunks).toString() : ''
}

/** Relative addresses start at the repository. Without the user and password that an address may hold. */
function webAddress(url: string, cloneUrl: string): string | undefined {
  const [, host, path] = /^(?:ssh:\/\/)?[^@/]+@([^/:]+)(?::\d+\/|[/:])(.*)$/.exec(url) ?? []
  const address = URL.parse(host === undefined ? url : `https://${host}/${path}`, `${cloneUrl}/`)
  if (!/^(?:https?|git):$/.test(address?.protocol ?? '') || address === null) return undefined
  const { host: name, pathname } = address
  const scheme = address.protocol === 'http:' ? 'http' : 'https'
  return `${scheme}://${name}${pathname.replace(/\/$/, '').replace(/\.git$/, '')}`.slice(0, maxUrlChars)
}
