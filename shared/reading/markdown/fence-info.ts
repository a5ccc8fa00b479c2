/** Language and label from the info string of a fence. */
export type FenceInfo = { language: string; label?: string }

const maxInfoLength = 2000
const titlePattern = /\b(?:title|filename|file|label|name)\s?=\s?(?:"([^"]*)"|'([^']*)'|([^\s"'{}]+))/
const directives = new Set(['code-block', 'code', 'code-cell', 'sourcecode', 'literalinclude', 'highlight'])

/** Words that switch on a feature of some site generator and are not labels. */
const flags = new Set(
  `twoslash live noinline showlinenumbers lines linenums linenumbers wrap nowrap expandable copy nocopy playground editable ignore no_run
  should_panic compile_fail highlight focus mdx-code-block interactive collapse hidelines skip-check run norun readonly eval exec
  console-output`.split(/\s+/),
)

/**
 * Reads the info string of a fence: `js title="app.js" {1,3}`, `ts [npm]`, `js:app.js`, `{.python hl_lines="1"}`, `rust,ignore`.
 * In MDX free words are the label: `bash cURL`.
 */
export function readFenceInfo(info: string, freeWords: boolean): FenceInfo {
  const text = info.slice(0, maxInfoLength).trim()
  const [, first = '', rest = ''] = /^([^\s{[]*)(.*)$/s.exec(text) ?? []
  const head = first === '' ? braced(rest) : named(first)
  const label = titleIn(rest) ?? bracketed(rest) ?? head.label ?? (freeWords && first !== '' ? freeLabel(rest) : undefined)
  return label === undefined ? { language: head.language } : { language: head.language, label }
}

function named(word: string): FenceInfo {
  const [language = '', file = ''] = word.split(/:(.*)/s)
  const plain = (language.split(',')[0] ?? '').toLowerCase()
  return /[./]/.test(file) ? { language: plain, label: file } : { language: plain }
}

/** `{.python …}`, `{python}`, `{r, echo=FALSE}`, `{code-block} python`. */
function braced(text: string): FenceInfo {
  const [, inner = '', after = ''] = /^\{([^}]*)\}?(.*)$/s.exec(text) ?? []
  const word = (/[\w+#-]+/.exec(inner)?.[0] ?? '').toLowerCase()
  return { language: directives.has(word) ? (after.trim().split(/\s/)[0] ?? '').toLowerCase() : word }
}

function titleIn(text: string): string | undefined {
  const [, double, single, bare] = titlePattern.exec(text) ?? []
  return double ?? single ?? bare
}

const bracketed = (text: string): string | undefined => /\[([^\]]+)\]/.exec(text)?.[1]?.trim()

function freeLabel(text: string): string | undefined {
  const words = text
    .replace(/[\w-]+=(?:"[^"]*"|'[^']*'|\{[^}]*\}|\S+)|\{[^}]*\}|\/[^/]*\//g, ' ')
    .split(/\s+/)
    .filter((word) => word !== '' && !flags.has(word.toLowerCase()))
  return words.length > 0 ? words.join(' ') : undefined
}
