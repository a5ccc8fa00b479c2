/** The answer of query-docs. */
export function documentationText(text: string): string {
  return text.trim() === ''
    ? 'No documentation was found for this library, or it is not ready yet. Check the id with resolve-library-id.'
    : text
}
