/** A link with this `rel` tells its host nothing about our page, and gives it no rank. */
export const strangerRel = 'noreferrer noopener nofollow'

/** True for an address that a link of a stranger may open; others are text. */
export const isWebAddress = (href: string): boolean => /^https?:\/\//i.test(href)

/** The host that is shown next to a link. */
export const hostOf = (href: string): string => (URL.canParse(href) ? new URL(href).host : href)
