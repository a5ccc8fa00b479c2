const cell = /^\{[\w-]/
/** Options of a cell, such as `#| echo: false`, in the comments of its language. */
const option = /^[ \t]*(?:#|\/\/|--|%%?|;|\*|!)\|.*(?:\n|$)/

/** The code of a fence without the options of Quarto and knitr, which stand at the top of a cell like `{python}`. */
export function withoutCellOptions(code: string, info: string): string {
  if (!cell.test(info)) return code
  let rest = code
  for (let match = option.exec(rest); match; match = option.exec(rest)) rest = rest.slice(match[0].length)
  return rest === code ? code : rest.replace(/^\n+/, '')
}
