import type { SnippetRow } from '../../shared/search/rows/snippet-store.ts'

/** A stored row that is found by these terms. */
export const row = (id: string, terms: string, more: Partial<SnippetRow> = {}): SnippetRow => ({
  id,
  breadcrumb: ['Page', `Section ${id}`],
  content: `Content of ${id}`,
  code: [{ language: 'ts', code: `run('${id}')` }],
  path: 'docs/page.md',
  url: `https://example.com/${id}`,
  topic: 'section',
  tokens: 12,
  hash: id,
  terms,
  lengths: [1, 0, 1, 5, 2, 1],
  page: 0,
  section: 0,
  ...more,
})
