/**
 * A value that the server wrote into the page: the path prefix of PUBLIC_URL, the nonce of its Content-Security-Policy, the first sign-in
 * that is still open (`public`: `admin` with the password `admin`; `secret`: with one that the operator knows), the command line as its
 * user calls it, or the error that the page replaces.
 */
export const pageMeta = (name: 'base' | 'nonce' | 'new' | 'command' | 'failure'): string =>
  document.querySelector<HTMLMetaElement>(`meta[name="carrel-${name}"]`)?.content ?? ''

/** The first admin has chosen an own password. */
export const forgetNewInstall = (): void => document.querySelector('meta[name="carrel-new"]')?.remove()
