import { isAbsolute } from 'node:path'

/** The folder of the user's files, and the variables that can move them. */
export type Home = { home: string; env: Record<string, string | undefined>; platform: NodeJS.Platform }

/** The files of a client cannot be named here. The message is a sentence without its period. */
export class UnusablePaths extends Error {}

/**
 * The folder that a variable names; undefined if it is not set. Throws UnusablePaths for a path that is not absolute: files with a key would
 * be written below the current folder, and the client would look elsewhere.
 */
export function folderVariable({ env, home }: Home, name: string): string | undefined {
  const value = env[name]
  if (!value || isAbsolute(value)) return value || undefined
  const expanded = value.replace(/^(["'])(.*)\1$/s, '$2').replace(/^(?:~|\$HOME|\$\{HOME\}|%USERPROFILE%)(?=[/\\]|$)/, () => home)
  const advice = isAbsolute(expanded) ? `; outside of a shell, write ${expanded}` : ''
  throw new UnusablePaths(`${name} is ${value}, which is not an absolute path${advice}`)
}
