/**
 * A text in a YAML file, by its keys from the top mapping on. Only the lines of the top key are parsed, and of those `maxLength` characters: the
 * parser's time grows with the square of a file that has many anchors or tags, and it rejects a whole file for the tags of a generator.
 */
export async function yamlText(source: string, keys: [top: string, ...string[]], maxLength: number): Promise<string | undefined> {
  const lines = source.split(/\r?\n/)
  const start = lines.findIndex((line) => line.startsWith(`${keys[0]}:`))
  if (start < 0) return undefined
  const length = lines.slice(start + 1).findIndex((line) => /^\S/.test(line))
  const field = lines.slice(start, length < 0 ? undefined : start + 1 + length).join('\n')
  const { isMap, parseDocument } = await import('yaml')
  const { errors, contents } = parseDocument(field.slice(0, maxLength), { logLevel: 'silent' })
  // `parse` converts mappings that are keys to text, which takes minutes if they are nested.
  const value: unknown = errors.length === 0 && isMap(contents) ? contents.getIn(keys) : undefined
  return typeof value === 'string' ? value : undefined
}
