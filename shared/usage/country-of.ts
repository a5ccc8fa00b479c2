/** Two capitals, except codes that are not countries: user-assigned ones (apart from Kosovo's XK), continents, unknown. */
const country = /^(?!AA|AP|EU|ZZ|Q[M-Z]|X[A-JL-Z])[A-Z]{2}$/

/** The country in a viewer-country header, ISO 3166-1 alpha-2. Undefined if it names none. */
export const countryOf = (header: string | null | undefined): string | undefined =>
  header && country.test(header) ? header : undefined
