/** Index after the `}` that closes the `{` at `text[at]`; undefined if the text ends before, or if it is no expression. */
export function endOfExpression(text: string, at: number): number | undefined {
  if (!isExpression(text, at)) return undefined
  let depth = 0
  for (let i = at; i < text.length; i++) {
    if (text[i] === '{') depth++
    else if (text[i] === '}' && --depth === 0) return i + 1
  }
  return undefined
}

/** The text of an expression that is only a string. */
export const stringIn = (expression: string): string =>
  (/^\s*(["'`])((?:(?!\1|\$\{)[^\\]|\\[`$\\])*)\1\s*$/.exec(expression)?.[2] ?? '').replace(/\\([`$\\])/g, '$1')

/** False for an object, `{ "a": 1 }`, words, `{a name}`, and a template of another kind, `{{ a }}`: they are text. */
const isExpression = (text: string, at: number): boolean =>
  !/^\{(?:\{|\s*(["']?)[\w$-]+\1\s*:|\s*(?!(?:new|typeof|await|async|void|function)\b)[\w$]+\s+(?!(?:in|of|instanceof|as)\b)[A-Za-z_$])/.test(
    text.slice(at, at + 200),
  )
