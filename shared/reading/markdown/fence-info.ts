/** Language and label from the info string of a fence. */
export type FenceInfo = { language: string; label?: string }

const maxInfoLength = 2000
const titlePattern = /\b(?:title|filename|file|label|name)\s?=\s?(?:"([^"]*)"|'([^']*)'|([^\s"'{}]+))/
const directives = new Set(['code-block', 'code', 'code-cell', 'sourcecode', 'literalinclude', 'highlight'])

/** Words that switch on a feature of some site generator and are not labels. */
const flags = new Set(
  `active hidden twoslash live noinline showlinenumbers lines linenums linenumbers wrap nowrap expandable copy nocopy playground editable ignore no_run
  should_panic compile_fail highlight focus mdx-code-block interactive collapse hidelines skip-check run norun readonly eval exec
  console-output tab npm2yarn`.split(/\s+/),
)

/**
 * Reads the info string of a fence: `js title="app.js" {1,3}`, `ts [npm]`, `js:app.js`, `js src/app.js`, `{.python hl_lines="1"}`,
 * `rust,ignore`, `title="app.js"`. In MDX free words are the label: `bash cURL`. Steps of react.dev, `[[1, 3, "use()"]]`, are no label.
 */
export function readFenceInfo(info: string, freeWords: boolean): FenceInfo {
  const text = info
    .slice(0, maxInfoLength)
    .replace(/\[\[.*\]\]/s, '')
    .trim()
  const [, first = '', rest = text] = /^([^\s{[=]*)(?![^\s{[])(.*)$/s.exec(text) ?? []
  const head = first === '' ? braced(rest) : named(first)
  const words = first === '' ? [] : freeWordsIn(rest)
  const free = freeWords ? words.join(' ') || undefined : words.slice(0, 1).find(isFileName)
  const label = titleIn(rest) ?? bracketed(rest) ?? head.label ?? free
  return label === undefined ? { language: head.language } : { language: head.language, label }
}

function named(word: string): FenceInfo {
  const [language = '', file = ''] = word.split(/:(.*)/s)
  const plain = (language.split(',')[0] ?? '').toLowerCase()
  return /[./]/.test(file) ? { language: plain, label: file } : { language: plain }
}

/** `{.python …}`, `{python}`, `{r, echo=FALSE}`, `{{python}}`, `{code-block} python`. */
function braced(text: string): FenceInfo {
  const [, inner = '', after = ''] = /^\{{1,2}([^}]*)\}{0,2}(.*)$/s.exec(text) ?? []
  const word = (/(?:^|\s)\.?([A-Za-z][\w+#-]*)(?![\w+#=-])/.exec(inner)?.[1] ?? '').toLowerCase()
  return { language: directives.has(word) ? (after.trim().split(/\s/)[0] ?? '').toLowerCase() : word }
}

function titleIn(text: string): string | undefined {
  const [, double, single, bare] = titlePattern.exec(text) ?? []
  return double ?? single ?? bare
}

const bracketed = (text: string): string | undefined => /\[([^\]]+)\]/.exec(text)?.[1]?.trim()

const isFileName = (word: string): boolean => /^[\w@./()-]{1,200}\.[A-Za-z]\w{0,7}$/.test(word)

const freeWordsIn = (text: string): string[] =>
  text
    .replace(/[\w-]+=(?:"[^"]*"|'[^']*'|\{[^}]*\}|\S+)|\{[^}]*\}|\/[^/]*\//g, ' ')
    .split(/\s+/)
    .filter((word) => word !== '' && !flags.has(word.toLowerCase()))
