const names = new Intl.DisplayNames(undefined, { type: 'region' })

/** DE → Germany, in the language of the reader. */
export function countryName(code: string): string {
  try {
    return names.of(code) ?? code
  } catch {
    return code
  }
}
