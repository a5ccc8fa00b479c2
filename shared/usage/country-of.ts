/** Two capitals, but for those that stand for no country: user-assigned ones (Kosovo's XK is in use), continents, unknown. */
const country = /^(?!AA|AP|EU|ZZ|Q[M-Z]|X[A-JL-Z])[A-Z]{2}$/

/** The country of a viewer-country header, ISO 3166-1 alpha-2; undefined where it names none. */
export const countryOf = (header: string | null | undefined): string | undefined =>
  header && country.test(header) ? header : undefined
