import { z } from 'zod'
import { flagKinds } from '../snippet.ts'

/** The version increases when importers must change; new fields that they may ignore do not increase it. */
export const bundleFormatVersion = 1

/** Limits of the importer. The hosted half builds nothing larger. */
export const bundleLimits = {
  zipBytes: 100 * 2 ** 20,
  unpackedBytes: 2_000_000_000,
  /** The limit includes the manifest. */
  zipEntries: 10_000,
  /** The limit is per import. */
  elements: 100_000,
  elementBytes: 500_000_000,
  elementSnippets: 500_000,
}

const text = (maxCharacters: number) => z.string().max(maxCharacters)
const line = text(2000)
const words = text(10_000)
const markdown = text(1_000_000)
const count = z.int().min(0)

/** Fields that an import needs to serve a snippet as well as the original. Bundles of other products lack them. */
const placed = {
  title: line.default(''),
  tokens: count.default(0),
  breadcrumb: words.optional().describe('Page title, headings and title, joined by " > "'),
  headings: z.array(line).max(1000).optional().describe('The parts of the breadcrumb, if a heading holds " > "'),
  pageTitle: line.optional(),
  topic: line.optional(),
  url: line.optional().describe('Web address of the source'),
  path: line.optional().describe('Path of the file in its repository'),
  page: count.optional().describe('Snippets of one page share this number'),
  section: count.optional().describe('Snippets of one section of a page share this number'),
  order: count.optional().describe('Position in the library, from 0, across both lists'),
  docsLanguage: line.optional().describe('Code of the language of its documentation, if the library has several'),
  alsoOn: z.array(line).max(1000).optional().describe('Addresses of other pages with the same section'),
  includedBy: line.optional().describe('Path of the page that includes it, if `path` is another file'),
  flag: z
    .object({ kinds: z.array(z.enum(flagKinds)).max(10), reason: line, concealed: z.literal(true).optional() })
    .optional()
    .describe('Why it may attack the agent that reads it. An import judges the text itself'),
  version: line.optional().describe('Tag or branch of the library'),
}

export const BundleCodeSnippet = z.object({
  id: line.default('').describe('Address of the source'),
  ...placed,
  description: markdown.default(''),
  language: line.default(''),
  codeList: z.array(z.object({ language: line.default(''), code: markdown })).max(10_000),
  content: markdown.optional().describe('Prose and code of the snippet as Markdown, in its own order'),
})
export type BundleCodeSnippet = z.infer<typeof BundleCodeSnippet>

export const BundleInfoSnippet = z.object({
  id: line.default('').describe('Address of the source'),
  ...placed,
  content: markdown,
})
export type BundleInfoSnippet = z.infer<typeof BundleInfoSnippet>

/** The fields of an element without its snippets. Unknown fields are ignored. */
export const BundleHead = z.object({
  project: z.string().min(1).max(500).describe('/owner/repo, with @version for a pinned version'),
  title: line.default(''),
  description: words.default(''),
  type: line.default('repo').describe('repo, website, openapi, …'),
  language: line.default('English').describe('Natural language of the documentation'),
  branch: line.default(''),
  docsRepoUrl: line.default(''),
  docsSiteUrl: line.default(''),
  totalTokens: count.default(0),
  totalSnippets: count.default(0),
  versions: z.array(line).max(100_000).default([]),
  commit: line.default(''),
  commitDate: line.optional().describe('Date of the commit, ISO 8601'),
  lastUpdateDate: line.default('').describe('ISO 8601'),
  rules: z.array(words).max(1000).default([]).describe("The owner's guidance, shown with the documentation"),
  aliases: z.array(line).max(10_000).default([]).describe('Other names under which searches find it'),
  private: z.boolean().optional().describe('Not everyone may read it where it was exported'),
  stars: z.int().min(-1).default(-1),
  trustScore: z.number().min(-1).max(10).default(-1),
  benchmarkScore: z.number().min(0).max(100).default(0),
})
export type BundleHead = z.infer<typeof BundleHead>

/** One version of one library, in the list `libraries` of an export or import. */
export const BundleElement = BundleHead.extend({
  codeSnippets: z.array(BundleCodeSnippet).max(bundleLimits.elementSnippets),
  infoSnippets: z.array(BundleInfoSnippet).max(bundleLimits.elementSnippets),
})
export type BundleElement = z.infer<typeof BundleElement>
