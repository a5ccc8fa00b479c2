const maxAnchorLength = 80

/** The anchor of a heading in addresses of our pages: its words in lower case, joined by "-". Empty if it has neither letters nor digits. */
export const headingAnchor = (heading: string): string =>
  heading
    .slice(0, 4 * maxAnchorLength)
    .toLowerCase()
    .replace(/[^\p{L}\p{M}\p{N}]+/gu, '-')
    .slice(0, maxAnchorLength)
    .replace(/^-|-$/g, '')
