const cell = /^\{[\w-]/
/** Options of a cell, such as `#| echo: false`, in the comments of its language. */
const option = /^[ \t]*(?:#|\/\/|--|%%?|;|\*|!)\|.*(?:\n|$)/

const hidden = /[\s,{]include\s?=\s?F(?:ALSE)?\b/
const hiddenOption = /^[ \t]*(?:#|\/\/)\|[ \t]*include:[ \t]*false\b/im

/** True for a cell that prepares a page and is not shown, `{r setup, include=FALSE}`. */
export function isHiddenCell(code: string, info: string): boolean {
  return cell.test(info) && (hidden.test(info) || hiddenOption.test(code.slice(0, maxOptions)))
}

/** Options stand at the top of a cell. */
const maxOptions = 1_000

/** The code of a fence without the options of Quarto and knitr, which stand at the top of a cell like `{python}`. */
export function withoutCellOptions(code: string, info: string): string {
  if (!cell.test(info)) return code
  let rest = code
  for (let match = option.exec(rest); match; match = option.exec(rest)) rest = rest.slice(match[0].length)
  return rest === code ? code : rest.replace(/^\n+/, '')
}
