const constant = /^export\s+const\s+([\w$]+)\s*(?::[^=\n]{1,200})?=\s*/gm
const string = /^(["'`])((?:(?!\1)[^\\\n])*)\1/
const member =
  /(?:^|[,{\n])\s{0,200}(?:([\w$]+)|["']([^"'\n]{1,100})["'])\s{0,20}:\s{0,20}(?:(["'`])((?:(?!\3)[^\\\n])*)\3|(-?\d[\d.]*))(?=\s*[,}])/g
const maxObject = 20_000

/** Strings and numbers that a document exports: `export const version = "1.2"`, and as `meta.name` those of `export const meta = { name: 'Kit' }`. */
export function exportedValues(text: string): Map<string, string> {
  const values = new Map<string, string>()
  for (const { 0: start, 1: name = '', index } of text.matchAll(constant)) {
    const rest = text.slice(index + start.length, index + start.length + maxObject)
    const [, , plain = /^-?\d[\d.]*(?=;?[ \t]*$)/m.exec(rest)?.[0]] = string.exec(rest) ?? []
    if (plain !== undefined && !rest.startsWith('{')) values.set(name, plain)
    if (!rest.startsWith('{')) continue
    for (const [, word, quoted, , value, number] of objectOf(rest).matchAll(member)) {
      values.set(`${name}.${word ?? quoted}`, value ?? number ?? '')
    }
  }
  return values
}

/** The object literal at the start of a text, without the objects inside it. */
function objectOf(text: string): string {
  let depth = 0
  let own = ''
  for (const char of text) {
    if (char === '{') depth++
    if (depth === 1) own += char
    if (char === '}' && --depth === 0) break
  }
  return own
}
