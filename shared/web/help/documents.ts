import { queryOptions } from '@tanstack/react-query'

const files = import.meta.glob<string>(['../../../docs/*.md', '../../../CHANGELOG.md'], {
  query: '?raw',
  import: 'default',
})
const loaders = new Map(Object.entries(files).map(([path, load]) => [nameOf(path), load]))

/** The pages of the documentation by the last part of their address; the build puts them next to the web UI. */
export const documentQuery = (name: string) =>
  queryOptions({
    queryKey: ['documents', name],
    queryFn: async () => (await loaders.get(name)?.()) ?? null,
    staleTime: Number.POSITIVE_INFINITY,
  })

/** Every page with its Markdown, for the search. */
export const allDocumentsQuery = queryOptions({
  queryKey: ['documents'],
  queryFn: () => Promise.all([...loaders].map(async ([name, load]) => ({ name, markdown: await load() }))),
  staleTime: Number.POSITIVE_INFINITY,
})

export const hasDocument = (name: string): boolean => loaders.has(name)

/** `../../docs/clients.md` is `clients`, and `CHANGELOG.md` is `changelog`. */
export function nameOf(path: string): string {
  const file = path.slice(path.lastIndexOf('/') + 1)
  return file.replace(/\.md$/, '').toLowerCase()
}
