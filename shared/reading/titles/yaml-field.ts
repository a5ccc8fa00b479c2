const maxFieldLength = 2_000

/**
 * A text in the top mapping of a YAML file. Only the lines of this field are parsed: the parser's time grows with the square of a file that has
 * many anchors or tags, and it rejects a whole file for the tags of a generator.
 */
export async function yamlField(source: string, name: string): Promise<string | undefined> {
  const lines = source.split(/\r?\n/)
  const start = lines.findIndex((line) => line.startsWith(`${name}:`))
  if (start < 0) return undefined
  const length = lines.slice(start + 1).findIndex((line) => /^\S/.test(line))
  const field = lines.slice(start, length < 0 ? undefined : start + 1 + length).join('\n')
  if (field.length > maxFieldLength) return undefined
  const { isMap, parseDocument } = await import('yaml')
  const { errors, contents } = parseDocument(field, { logLevel: 'silent' })
  // `parse` converts mappings that are keys to text, which takes minutes if they are nested.
  const value: unknown = errors.length === 0 && isMap(contents) ? contents.get(name) : undefined
  return typeof value === 'string' ? value : undefined
}
