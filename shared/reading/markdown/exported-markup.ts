/** String constants that a document exports: `export const version = "1.2"`. */
export function exportedStrings(text: string): Map<string, string> {
  const found = text.matchAll(/^export\s+const\s+([\w$]+)\s*=\s*(["'`])((?:(?!\2)[^\\\n])*)\2;?[ \t]*$/gm)
  return new Map([...found].map(([, name = '', , value = '']) => [name, value]))
}

/** The markup of a component that a document exports as a plain function: `export const X = ({ a }) => (<p>{a}</p>)`. */
export function exportedMarkup(text: string, name: string): string | undefined {
  const start = new RegExp(`^export\\s+(?:const|function)\\s+${name.replaceAll('$', '\\$')}\\b`, 'm').exec(text)
  if (!start) return undefined
  const rest = text.slice(start.index)
  const body = /(?:=>|\breturn\b)\s*(\(|<)/.exec(rest.slice(0, 2000))
  if (!body) return undefined
  const from = body.index + body[0].length
  if (body[1] === '(') return rest.slice(from, endOfParentheses(rest, from))
  const end = rest.slice(from).search(/\n\s*\n|\n(?:export|import)\s|;?\n\}/)
  return rest.slice(from - 1, end < 0 ? undefined : from + end)
}

function endOfParentheses(text: string, from: number): number {
  let depth = 1
  for (let i = from; i < text.length; i++) {
    if (text[i] === '(') depth++
    else if (text[i] === ')' && --depth === 0) return i
  }
  return text.length
}
