/** The parameters in the address of the audit log. */
export type AuditSearch = { q?: string; page?: number }

const maxQueryChars = 200

/** Ignores values that cannot be a filter, so that an old link still opens. */
export const auditSearch = ({ q, page }: Record<string, unknown>): AuditSearch => ({
  ...(typeof q === 'string' && q.trim() !== '' && { q: q.slice(0, maxQueryChars) }),
  ...(Number.isSafeInteger(page) && Number(page) > 1 && Number(page) <= 1_000_000 && { page: Number(page) }),
})
