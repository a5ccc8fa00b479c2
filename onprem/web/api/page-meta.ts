/** What the server wrote into the page: the path prefix of PUBLIC_URL, and the nonce of its Content-Security-Policy. */
export const pageMeta = (name: 'base' | 'nonce'): string =>
  document.querySelector<HTMLMetaElement>(`meta[name="carrel-${name}"]`)?.content ?? ''
