/**
 * A page of a library, as the properties of a link of the router and of `navigate`: `/libraries/<owner>/<repo>?page=<path>&version=<version>#<anchor>`.
 * `path` is the `path` of a page in lists, empty for the overview. `anchor` is the one of a heading, from `headingAnchor`.
 */
export const pageAddress = (libraryId: string, path: string, anchor?: string, version?: string) => ({
  to: '/libraries/$' as const,
  params: { _splat: libraryId.replace(/^\//, '') },
  search: { ...(path && { page: path }), ...(version && { version }) },
  ...(anchor && { hash: anchor }),
})
