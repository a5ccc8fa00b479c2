/**
 * A text in a YAML file, by its keys from the top mapping on. Only the lines of the top key are parsed, and none if they have more than `maxLength`
 * characters: the parser's time grows with the square of a file that has many anchors or tags, and it rejects a whole file for the tags of a
 * generator.
 */
export async function yamlText(source: string, keys: [top: string, ...string[]], maxLength: number): Promise<string | undefined> {
  const lines = source.split(/\r?\n/)
  const start = lines.findIndex((line) => isOfKey(line, keys[0]))
  if (start < 0) return undefined
  const next = lines.findIndex((line, at) => at > start && /^[^\s#]/.test(line))
  const block = lines.slice(start, next < 0 ? undefined : next)
  // Comments before the next key are no part of this one.
  const last = block.findLastIndex((line) => /^[^#]/.test(line))
  const field = block.slice(0, last + 1).join('\n')
  if (field.length > maxLength) return undefined
  const { isMap, parseDocument } = await import('yaml')
  const { errors, contents } = parseDocument(field, { logLevel: 'silent' })
  // `parse` converts mappings that are keys to text, which takes minutes if they are nested.
  const value: unknown = errors.length === 0 && isMap(contents) ? contents.getIn(keys) : undefined
  return typeof value === 'string' ? value : undefined
}

const isOfKey = (line: string, key: string): boolean =>
  [key, `"${key}"`, `'${key}'`].some((written) => line.startsWith(written) && /^[ \t]{0,20}:/.test(line.slice(written.length)))
