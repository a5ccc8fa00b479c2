import { withoutEnding } from '../text/without-ending.ts'
/** `ssh://git@host`, with the port if it is not 22, and the folder of the repositories if there is one. */
export type SshAddress = { user: string; host: string; port: string; path: string }

const address = /^ssh:\/\/(?:([A-Za-z0-9_][\w.-]{0,63})@)?([A-Za-z0-9](?:[\w.-]{0,252}\w)?)(?::(\d{1,5}))?(\/[^?#\s]*)?$/
const short = /^([A-Za-z0-9_][\w.-]{0,63})@([A-Za-z0-9](?:[\w.-]{0,252}\w)?):(?!\d{1,5}\/)([^?#\s]*)$/

/** Reads `ssh://git@host:22/path` and `git@host:path`. Undefined for another text. */
export function readSsh(text: string): SshAddress | undefined {
  const [, ...parts] = address.exec(text) ?? []
  const [user = 'git', host, port = '22', path = ''] = parts
  if (host !== undefined && Number(port) > 0 && Number(port) < 65_536) return { user, host: host.toLowerCase(), port, path }
  const [, shortUser = '', shortHost, shortPath = ''] = short.exec(text) ?? []
  if (shortHost === undefined) return undefined
  return { user: shortUser, host: shortHost.toLowerCase(), port: '', path: `/${shortPath.replace(/^\/+/, '')}` }
}

/** The same address of the same place, as the list of hosts has it. */
export const printSsh = ({ user, host, port, path }: SshAddress): string =>
  `ssh://${user}@${host}${port === '22' || port === '' ? '' : `:${port}`}${withoutEnding(path, '/')}`

export const isSsh = (url: string): boolean => url.startsWith('ssh://')
