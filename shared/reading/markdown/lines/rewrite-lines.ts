import { fenceRoles, indentOf, type Line } from '../syntax/line.ts'

const maxLength = 1000
/** `{ .annotate }`, `{: #id .class }`, `{style="tip"}`, `{:toc}`, alone on a line. */
const attributeList = /^\{:?\s*(?:[.#][\w-]+|[\w-]+\s?=\s?(?:"[^"]*"|'[^']*'|[^\s"'{}]+)|toc)(?:\s[^{}]*)?\}$/
/** MyST's `(target)=` and the rule names of mdBook's reference, `r[items.union]`. */
const target = /^(?:\([\w.:/ -]+\)=|r\[[a-z][\w.-]*\])$/
const objectReference = /^:::\s+([A-Za-z_]\w*(?:[.:]\w+)*)$/
const notice = /^(!{1,4})[ \t]+(?=\S)/
const noticeKinds = ['WARNING', 'WARNING', 'NOTE', 'TIP']
const trigger = /^[ \t>]*(?:\{|\(|r\[|:::|!{1,4}[ \t]|#{1,6}[ \t]+\[)|\bto (?:the )?(?:top|toc|(?:table of )?contents)\b/i
/** `[Back to TOC](#table-of-contents)`, `**[⬆ back to top](#kit)**`, alone on a line. */
const backLink =
  /^[^\w[\]]{0,12}\[[^\w[\]]{0,12}(?:back|return|go) to (?:the )?(?:top|toc|(?:table of )?contents)[^\w[\]]{0,12}\]\(#[^()\s]{0,100}\)[^\w[\]]{0,12}$/i

/**
 * Rewrites lines that only one site generator understands as plain Markdown: attribute lists and targets go, the objects of mkdocstrings become
 * inline code, Grav's notices become quotes, DocFX's tabs become blocks. Links back to the top go.
 */
export function rewriteLines(lines: Line[]): Line[] {
  if (!lines.some(({ text }) => trigger.test(text))) return lines
  const roles = fenceRoles(lines)
  const out: Line[] = []
  const tabs = docfxTabs(out)
  let options = -1
  let noticeMark = ''
  lines.forEach((line, i) => {
    const text = roles[i] === 'outside' && line.text.length <= maxLength ? line.text.trim() : undefined
    const [, mark = ''] = (text !== undefined && notice.exec(text)) || []
    const isNotice = mark !== '' && (mark === noticeMark || !isAdmonition(lines, i))
    const [, object] = (text?.startsWith(':::') && objectReference.exec(text)) || []
    if (options >= 0 && (line.text.trim() === '' || indentOf(line.text) >= options + 2)) return
    options = -1
    if (text === undefined) out.push(line)
    else if (tabs.read(line, text)) return
    else if (object !== undefined && (object.includes('.') || isOption(lines[i + 1]))) {
      out.push({ ...line, text: line.text.replace(text, `\`${object}\``) }, { text: '', at: line.at })
      options = indentOf(line.text)
    } else if (isNotice) {
      const indent = line.text.slice(0, indentOf(line.text))
      if (mark !== noticeMark)
        out.push({ text: '', at: line.at }, { text: `${indent}> [!${noticeKinds[mark.length - 1]}]`, at: line.at })
      out.push({ ...line, text: line.text.replace(notice, '> ') })
    } else if ((text.startsWith('{') && attributeList.test(text)) || target.test(text) || backLink.test(text))
      out.push({ ...line, text: '' })
    else out.push(line)
    noticeMark = isNotice ? mark : ''
  })
  tabs.close(lines.at(-1)?.at ?? 1)
  return out
}

/** The body of a Python-Markdown admonition, `!!! note`, is indented below it. */
function isAdmonition(lines: Line[], at: number): boolean {
  const line = lines[at]?.text ?? ''
  const next = lines.slice(at + 1, at + 10).find(({ text }) => text.trim() !== '')
  return next !== undefined && indentOf(next.text) >= indentOf(line) + 2
}

const isOption = (next: Line | undefined): boolean =>
  next !== undefined && /^\s{2,}(?:options|handler|selection|rendering):/.test(next.text)

const tabHeading = /^(#{1,6})[ \t]+\[([^\][]+)\]\(#tab\/[^()\s]+\)$/
const fence = '////////'

/** Rewrites `# [Python](#tab/python)` … `---` as `/// tab` blocks. A tab ends at the next one, a rule, or a heading of its own depth. */
function docfxTabs(out: Line[]) {
  let depth = 0
  const close = (at: number) => {
    if (depth > 0) out.push({ text: fence, at }, { text: '', at })
    depth = 0
  }
  return {
    close,
    /** Returns true if the line was handled. */
    read({ at }: Line, text: string): boolean {
      const [, marks = '', label = ''] = (text.startsWith('#') && tabHeading.exec(text)) || []
      if (marks !== '') {
        if (depth > 0) out.push({ text: fence, at })
        out.push({ text: `${fence} tab | ${label}`, at })
        depth = marks.length
        return true
      }
      if (depth === 0) return false
      const isRule = /^(?:-{3,}|\*{3,})$/.test(text)
      const [, heading = ''] = /^(#{1,6})[ \t]/.exec(text) ?? []
      if (isRule || (heading !== '' && heading.length <= depth)) close(at)
      return isRule
    },
  }
}
