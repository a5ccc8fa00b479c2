/**
 * A value that the server wrote into the page: the path prefix of PUBLIC_URL, the nonce of its Content-Security-Policy, if the first
 * sign-in is `admin` with the password `admin`, or the error that the page replaces.
 */
export const pageMeta = (name: 'base' | 'nonce' | 'new' | 'failure'): string =>
  document.querySelector<HTMLMetaElement>(`meta[name="carrel-${name}"]`)?.content ?? ''

/** The first admin has chosen an own password. */
export const forgetNewInstall = (): void => document.querySelector('meta[name="carrel-new"]')?.remove()
