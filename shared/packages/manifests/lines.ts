/** The lines of a text that are not empty, without a list of all: a text of 10 MB can have 10 million. */
export function* linesOf(text: string): Generator<string> {
  for (let start = 0; start < text.length; ) {
    const end = text.indexOf('\n', start)
    if (end !== start) yield text.slice(start, end < 0 ? undefined : end)
    start = end < 0 ? text.length : end + 1
  }
}
