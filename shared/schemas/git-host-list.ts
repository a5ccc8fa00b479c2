import { X509Certificate } from 'node:crypto'
import { z } from 'zod'
import { BaseUrl } from './base-url.ts'
import { platforms } from './git-host.ts'
import { isSsh, printSsh, readSsh } from './ssh-address.ts'

/** The first part of the ids of other sources. */
const reserved =
  /^(?:github|gitlab|websites?|llmstxt|packages|npm|docs|openapi|asyncapi|graphql|files|uploads?|confluence|notion)$/

const nameRule = 'must begin with a letter and hold only small letters, digits and hyphens, at most 30'
const kindRule = `must be one of ${platforms.join(', ')}`
const userRule = 'must be a user name without spaces and colons'
const caRule = 'must be certificates in PEM'

export const UserName = z.string(userRule).regex(/^[\x21-\x39\x3b-\x7e]{1,100}$/, userRule)

const appIdRule = 'must be the App ID or Client ID of a GitHub App, such as 123456'
export const AppId = z.string(appIdRule).regex(/^[A-Za-z0-9.]{1,60}$/, appIdRule)

const knownHostsRule = 'must be lines of known_hosts, such as "git.example.com ssh-ed25519 AAAA…"'

/** The host keys (`type base64`) of lines of known_hosts. Undefined if there is none, or a line is none. */
export function hostKeysIn(text: string): string[] | undefined {
  const lines = text.split('\n').map((line) => line.trim())
  const keys = lines
    .filter((line) => line !== '' && !line.startsWith('#'))
    .map((line) => /^(?:[^\s@]\S*\s+)?((?:ssh|ecdsa|sk)-[\w@.-]+)\s+([A-Za-z0-9+/]{40,}={0,3})(?:\s|$)/.exec(line))
  const isComplete = keys.length > 0 && keys.every((key) => key !== null)
  return isComplete ? keys.map((key) => `${key?.[1]} ${key?.[2]}`) : undefined
}

/** The address of a git host, by https or ssh. */
export const GitHostUrl = z
  .string('must be a text')
  .trim()
  .max(500, 'must not be longer than 500 characters')
  .transform((text, context) => {
    const ssh = isSsh(text) ? readSsh(text) : undefined
    if (ssh) return printSsh(ssh)
    if (!isSsh(text)) {
      const read = BaseUrl.safeParse(text)
      if (read.success) return read.data
      for (const { message } of read.error.issues) context.addIssue({ code: 'custom', message })
      return z.NEVER
    }
    context.addIssue({ code: 'custom', message: 'must be an address such as ssh://git@git.example.com:22' })
    return z.NEVER
  })

/** A git host in the list `git.hosts`. */
export const GitHostEntry = z.strictObject({
  name: z
    .string(nameRule)
    .regex(/^[a-z][a-z0-9-]{0,29}$/, nameRule)
    .refine((name) => !reserved.test(name), 'is the name of another source')
    .describe('The first part of ids such as /NAME/owner~repo, and of the names of its secrets'),
  kind: z.enum(platforms, kindRule).describe('The software of the host; git is any server that speaks git over https'),
  baseUrl: GitHostUrl.describe('An https address above its owners or groups, or ssh://git@HOST:PORT'),
  user: UserName.optional().describe('User name that is sent with the token, if it is not the usual one of the kind'),
  ca: z
    .string(caRule)
    .max(100_000, caRule)
    .refine(areCertificates, caRule)
    .optional()
    .describe('Additional trusted certificates, in PEM'),
  appId: AppId.optional().describe(
    'Of a GitHub host that is read as a GitHub App: the id of the app, whose private key is its secret',
  ),
  knownHosts: z
    .string(knownHostsRule)
    .max(20_000, knownHostsRule)
    .refine((text) => hostKeysIn(text) !== undefined, knownHostsRule)
    .optional()
    .describe('Host keys of an ssh:// address, as lines of known_hosts'),
})

const listRule = 'must be a JSON list of hosts, each with name, kind and baseUrl'

/** A list from JSON, or its text on the command line. */
export const GitHostList = z
  .union(
    [
      z
        .string()
        .max(1_000_000)
        .transform((text, context) => {
          try {
            return JSON.parse(text) as unknown
          } catch {
            context.addIssue({ code: 'custom', message: listRule })
            return z.NEVER
          }
        }),
      z.array(z.unknown()),
    ],
    listRule,
  )
  .pipe(z.array(GitHostEntry, listRule).max(50, 'must not be more than 50'))
  .superRefine((hosts, context) => {
    for (const part of ['name', 'baseUrl'] as const) {
      const values = hosts.map((host) => host[part])
      const twice = values.find((value, at) => values.indexOf(value) !== at)
      if (twice !== undefined) context.addIssue({ code: 'custom', message: `has ${twice} twice` })
    }
    for (const [at, { kind, baseUrl, knownHosts, appId }] of hosts.entries()) {
      const refuse = (field: string, message: string) => context.addIssue({ code: 'custom', path: [at, field], message })
      if (appId !== undefined && kind !== 'github') refuse('appId', 'is only for the kind github')
      if (isSsh(baseUrl) && kind !== 'git') refuse('kind', 'must be git for an ssh:// address')
      if (isSsh(baseUrl) && knownHosts === undefined)
        refuse('knownHosts', 'is required for an ssh:// address: the host key of the host')
    }
  })

function areCertificates(text: string): boolean {
  const blocks = text.split(/(?=-----BEGIN )/).filter((block) => block.trim() !== '')
  try {
    for (const block of blocks) new X509Certificate(block)
    return blocks.length > 0
  } catch {
    return false
  }
}
