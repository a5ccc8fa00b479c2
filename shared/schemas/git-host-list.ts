import { X509Certificate } from 'node:crypto'
import { z } from 'zod'
import { BaseUrl } from './base-url.ts'
import { platforms } from './git-host.ts'

/** The first part of the ids of other sources. */
const reserved =
  /^(?:github|gitlab|websites?|llmstxt|packages|npm|docs|openapi|asyncapi|graphql|files|uploads?|confluence|notion)$/

const nameRule = 'must begin with a letter and hold only small letters, digits and hyphens, at most 30'
const kindRule = `must be one of ${platforms.join(', ')}`
const userRule = 'must be a user name without spaces and colons'
const caRule = 'must be certificates in PEM'

/** A git host in the list `git.hosts`. */
export const GitHostEntry = z.strictObject({
  name: z
    .string(nameRule)
    .regex(/^[a-z][a-z0-9-]{0,29}$/, nameRule)
    .refine((name) => !reserved.test(name), 'is the name of another source')
    .describe('The first part of ids such as /NAME/owner~repo, and of the names of its secrets'),
  kind: z.enum(platforms, kindRule).describe('The software of the host; git is any server that speaks git over https'),
  baseUrl: BaseUrl.describe('An https address, above its owners or groups'),
  user: z
    .string(userRule)
    .regex(/^[\x21-\x39\x3b-\x7e]{1,100}$/, userRule)
    .optional()
    .describe('User name that is sent with the token, if it is not the usual one of the kind'),
  ca: z
    .string(caRule)
    .max(100_000, caRule)
    .refine(areCertificates, caRule)
    .optional()
    .describe('Additional trusted certificates, in PEM'),
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
