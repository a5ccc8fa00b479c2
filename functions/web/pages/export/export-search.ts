const maxQueryChars = 500

/** The search text in the address of the page. */
export const exportSearch = ({ q }: Record<string, unknown>): { q?: string } =>
  typeof q === 'string' && q.trim() !== '' ? { q: q.trim().slice(0, maxQueryChars) } : {}
