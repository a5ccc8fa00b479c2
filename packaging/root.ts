/** The folder of the checkout. */
export const root = new URL('..', import.meta.url).pathname
