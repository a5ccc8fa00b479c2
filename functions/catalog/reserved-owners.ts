/** First segments of paths that are no libraries. */
const reserved = new Set(['.well-known', 'api', 'assets', 'auth', 'badge', 'mcp'])

/** True for an owner whose libraries would have the paths of other pages. */
export const isReservedOwner = (owner: string): boolean => reserved.has(owner.toLowerCase())
