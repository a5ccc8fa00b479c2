import { z } from 'zod'

/** Raised when an importer must read bundles in another way; fields that it may ignore do not count. */
export const bundleFormatVersion = 1

/** What the importer takes; nothing larger is built. */
export const bundleLimits = {
  zipBytes: 100 * 2 ** 20,
  unpackedBytes: 2_000_000_000,
  /** With the manifest. */
  zipEntries: 10_000,
  /** Of one import. */
  elements: 100_000,
  elementBytes: 500_000_000,
  elementSnippets: 500_000,
}

const text = (maxCharacters: number) => z.string().max(maxCharacters)
const line = text(2000)
const words = text(10_000)
const markdown = text(1_000_000)
const count = z.int().min(0)

/** What an import needs beyond the contract's fields to serve a snippet as well as the original; bundles of others lack it. */
const placed = {
  title: line.default(''),
  tokens: count.default(0),
  breadcrumb: words.optional().describe('Page title, headings and title, joined by " > "'),
  pageTitle: line.optional(),
  topic: line.optional(),
  url: line.optional().describe('Where a person can read it'),
  path: line.optional().describe('Of the file in its repository'),
  page: count.optional().describe('Snippets of one page share this number'),
  section: count.optional().describe('Snippets of one section of a page share this number'),
  order: count.optional().describe('Place in the library, from 0, over both lists'),
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

/** What an element of a bundle says of its library before the snippets; unknown fields are ignored on reading. */
export const BundleHead = z.object({
  project: z.string().min(1).max(500).describe('/owner/repo, with @version for a pinned version'),
  title: line.default(''),
  description: words.default(''),
  type: line.default('repo').describe('repo, website, openapi, …'),
  language: line.default('English').describe('In which people write it'),
  branch: line.default(''),
  docsRepoUrl: line.default(''),
  docsSiteUrl: line.default(''),
  totalTokens: count.default(0),
  totalSnippets: count.default(0),
  versions: z.array(line).max(100_000).default([]),
  commit: line.default(''),
  lastUpdateDate: line.default('').describe('ISO 8601'),
  rules: z.array(words).max(1000).default([]).describe("The owner's guidance, shown with the documentation"),
  aliases: z.array(line).max(10_000).default([]).describe('Other names that a search finds it by'),
  stars: z.int().min(-1).default(-1),
  trustScore: z.number().min(-1).max(10).default(-1),
  benchmarkScore: z.number().min(0).max(100).default(0),
})
export type BundleHead = z.infer<typeof BundleHead>

/** One version of one library: what the lists `libraries` of an export and of an import consist of. */
export const BundleElement = BundleHead.extend({
  codeSnippets: z.array(BundleCodeSnippet).max(bundleLimits.elementSnippets),
  infoSnippets: z.array(BundleInfoSnippet).max(bundleLimits.elementSnippets),
})
export type BundleElement = z.infer<typeof BundleElement>
