import { extname } from 'node:path/posix'
import { markdownExtensions } from '../markdown/markdown-extensions.ts'

/**
 * `openapi`, `graphql`: a document only if it describes an API. `office`: a document only if it was uploaded. `source`: code, read only for an API
 * reference. `unread`: documentation in a format that no reader has.
 */
export type DocumentKind = 'document' | 'openapi' | 'graphql' | 'office' | 'source' | 'unread'

const kinds: Record<DocumentKind, string> = {
  document: 'mdx rst adoc asciidoc asc ipynb html htm txt',
  openapi: 'json yaml yml',
  graphql: 'graphql graphqls gql',
  office: 'pdf docx',
  source: 'py pyi go rs java ts tsx',
  unread: 'org textile wiki mediawiki creole pod rdoc tex latex odt rtf topic dita ditamap texi texinfo rd',
}

const kindByExtension = new Map<string, DocumentKind>([
  ...markdownExtensions.map((each) => [each, 'document'] as const),
  ...Object.entries(kinds).flatMap(([kind, extensions]) =>
    extensions.split(' ').map((each) => [`.${each}`, kind as DocumentKind] as const),
  ),
])

/** The kind of a document by its extension; undefined for other files. */
export const documentKind = (path: string): DocumentKind | undefined => kindByExtension.get(extname(path).toLowerCase())
