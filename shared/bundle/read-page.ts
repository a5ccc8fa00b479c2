import { type AnalysedPage, analyseSnippets, type PageSnippet } from '../reading/analyse-page.ts'
import { type BundleSnippet, snippetFrom } from './bundle-snippet.ts'
import { cutSnippet } from './cut-snippet.ts'

/** Snippets of a bundle that share a page, in their order. */
export type BundlePage = { path: string; snippets: BundleSnippet[] }
export type ReadPage = Omit<AnalysedPage, 'missing'>

/** Analyses a page as a parse analyses a file. */
export function readPage({ path, snippets }: BundlePage): ReadPage {
  const chunks: PageSnippet[] = []
  for (const snippet of snippets) {
    const section = snippet.section ?? chunks.length
    for (const chunk of cutSnippet(snippetFrom(snippet))) chunks.push({ ...chunk, section })
  }
  return analyseSnippets(chunks, path)
}
