/** True if two languages such as `en` and `en-US` are the same, or one of them is unknown. */
export function isSameLanguage(one: string, other: string): boolean {
  const primary = (language: string) => language.toLowerCase().split(/[-_]/, 1)[0] ?? ''
  return primary(one) === '' || primary(other) === '' || primary(one) === primary(other)
}
