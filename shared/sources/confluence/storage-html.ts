import { setImmediate } from 'node:timers/promises'
import { Parser } from 'htmlparser2'
import { closeTag, escapeText, openTag } from '../website/html-tags.ts'

/** Deeper elements lose their tags and keep their text. */
const maxDepth = 100
const maxParameterChars = 1_000
const stepChars = 131_072

const copied = new Set(
  'p ul ol li table thead tbody tfoot tr th td caption pre code blockquote strong em b i u s sub sup span small big br hr dl dt dd'.split(
    ' ',
  ),
)
const blocks = new Set('ac:layout ac:layout-section ac:layout-cell ac:adf-node ac:adf-content ac:caption div'.split(' '))
/** Texts for editors and for software, and the second form of what an `ac:adf-node` says. */
const unread = new Set('ac:placeholder ac:adf-fallback ac:task-id ac:task-uuid script style'.split(' '))
const panels: Record<string, string> = { info: 'Info', note: 'Note', warning: 'Warning', tip: 'Tip' }
/** Macros whose text is code in a language of their name. */
const languages = new Set(['html', 'markdown', 'mermaid', 'plantuml', 'sql'])

type Macro = { name: string; parameters: Map<string, string> }
type Link = { title: string; isWritten: boolean }
type Frame = { end: string; leave?: () => unknown }

/**
 * A page in the storage format of Confluence as HTML for the reader: macros become headings, code, tables and text. The title is the only
 * heading of the first level. Entities are copied, never expanded, and links lead nowhere, as in other pages.
 */
export async function storageHtml(title: string, storage: string): Promise<string> {
  const writer = storageWriter()
  for (let at = 0; at < storage.length; at += stepChars) {
    if (at > 0) await setImmediate()
    writer.write(storage.slice(at, at + stepChars))
  }
  const shown = escapeText(title)
  return `<html><head><title>${shown}</title></head><body><h1>${shown}</h1>${writer.end()}</body></html>\n`
}

function storageWriter() {
  const html: string[] = []
  const frames: Frame[] = []
  const macros: Macro[] = []
  const links: Link[] = []
  let code: string[] | undefined
  let captured: { text: string } | undefined
  let unreadDepth = 0
  let isCdata = false
  let status = ''

  const put = (text: string) => {
    html.push(text)
    const link = links.at(-1)
    if (link && text.trim() !== '') link.isWritten = true
  }
  const push = (start: string, end: string, leave?: () => unknown) => {
    const isShallow = frames.length < maxDepth
    if (isShallow) html.push(start)
    frames.push({ end: isShallow ? end : '', ...(leave && { leave }) })
  }
  const capture = (done: (text: string) => unknown) => {
    const outer = captured
    const own = { text: '' }
    captured = own
    push('', '', () => {
      captured = outer
      done(own.text.trim())
    })
  }

  const openMacro = (name: string) => {
    const macro: Macro = { name, parameters: new Map() }
    macros.push(macro)
    push('', '', () => {
      macros.pop()
      put(inlineText(macro))
    })
  }
  const openLink = () => {
    const link: Link = { title: '', isWritten: false }
    links.push(link)
    push('', '', () => {
      links.pop()
      if (!link.isWritten && captured === undefined) put(link.title)
    })
  }
  /** The file of an image is no text of the page. */
  const openImage = (attributes: Record<string, string>) => {
    put(imageTag(attributes))
    links.push({ title: '', isWritten: true })
    push('', '', () => links.pop())
  }
  const openCode = (macro: Macro | undefined) => {
    const text: string[] = []
    code = text
    push('', '', () => {
      code = undefined
      html.push(codeBlock(macro, text.join('')))
    })
  }
  /** The page, file or address that a link or a macro names. */
  const target = (name: string) => {
    const link = links.at(-1)
    if (captured) captured.text = safe(name)
    else if (link) link.title = safe(name)
  }

  const open = (tag: string, attributes: Record<string, string>) => {
    if (unreadDepth > 0 || unread.has(tag)) {
      unreadDepth += 1
      return push('', '', () => {
        unreadDepth -= 1
      })
    }
    const macro = macros.at(-1)
    switch (tag) {
      case 'ac:structured-macro':
      case 'ac:macro':
        return openMacro(attributes['ac:name'] ?? '')
      case 'ac:parameter':
      case 'ac:default-parameter':
        return capture((text) => macro?.parameters.set(attributes['ac:name'] ?? '', text))
      case 'ac:adf-attribute':
        return capture((text) => attributes.key === 'panel-type' && put(`<p>${panels[text] ?? 'Note'}:</p>`))
      case 'ac:rich-text-body':
        return push(`<div>${macro ? bodyStart(macro) : ''}`, '</div>')
      case 'ac:plain-text-body':
        return openCode(macro)
      case 'ac:link':
        return openLink()
      case 'ri:page':
      case 'ri:blog-post':
        target(attributes['ri:content-title'] ?? '')
        break
      case 'ri:attachment':
        target(attributes['ri:filename'] ?? '')
        break
      case 'ac:image':
        return openImage(attributes)
      case 'ac:emoticon':
        put(safe(attributes['ac:emoji-fallback'] ?? ''))
        break
      case 'time':
        put(safe(attributes.datetime ?? ''))
        break
      case 'ac:task-list':
        return push('<ul>', '</ul>')
      case 'ac:task':
        return push('<li>', '</li>')
      case 'ac:task-status':
        return capture((text) => {
          status = text
        })
      case 'ac:task-body':
        return push(status === 'complete' ? '[x] ' : '[ ] ', '')
    }
    const heading = /^h([1-6])$/.exec(tag)?.[1]
    const shown = heading === undefined ? tag : `h${Math.min(6, Number(heading) + 1)}`
    if (heading !== undefined || copied.has(tag)) push(openTag(shown, spans(attributes)), closeTag(shown))
    else if (blocks.has(tag)) push('<div>', '</div>')
    else push('', '')
  }

  const text = (raw: string) => {
    if (unreadDepth > 0) return
    const shown = isCdata ? escapeText(raw) : safe(raw)
    if (captured) captured.text = (captured.text + shown).slice(0, maxParameterChars)
    else if (code) code.push(shown)
    else put(shown)
  }
  const close = () => {
    const frame = frames.pop()
    if (!frame) return
    frame.leave?.()
    if (frame.end !== '') html.push(frame.end)
  }

  const parser = new Parser(
    {
      onopentag: open,
      ontext: text,
      onclosetag: close,
      oncdatastart() {
        isCdata = true
      },
      oncdataend() {
        isCdata = false
      },
    },
    { xmlMode: true, decodeEntities: false },
  )
  return {
    write: (part: string) => parser.write(part),
    end() {
      parser.end()
      return html.join('')
    },
  }
}

/** Text in which entities are already written as such. */
const safe = (raw: string): string => raw.replaceAll('<', '&lt;').replaceAll('>', '&gt;')

/** Classes and roles are those of the editor, and would hide text from the reader. */
const spans = ({ colspan, rowspan }: Record<string, string>): Record<string, string> => ({
  ...(colspan !== undefined && { colspan }),
  ...(rowspan !== undefined && { rowspan }),
})

const unescaped = (text: string): string =>
  text.replaceAll('&quot;', '"').replaceAll('&lt;', '<').replaceAll('&gt;', '>').replaceAll('&amp;', '&')

const imageTag = (attributes: Record<string, string>): string => {
  const alt = unescaped(attributes['ac:alt'] ?? attributes['ac:title'] ?? '')
  return alt === '' ? '' : openTag('img', { alt })
}

/** The HTML above the text of a macro. Parameters come before the text. */
function bodyStart({ name, parameters }: Macro): string {
  const title = parameters.get('title') ?? ''
  const panel = panels[name]
  if (panel !== undefined) return `<p>${panel}: ${title}</p>`
  return title === '' ? '' : `<p>${title}</p>`
}

/** The text of a macro that has no body. */
function inlineText({ name, parameters }: Macro): string {
  if (name === 'status') return ` ${parameters.get('title') ?? ''} `
  if (name === 'jira' || name === 'jiraissues') return ` ${parameters.get('key') ?? ''} `
  const included = name === 'include' || name === 'excerpt-include' ? parameters.get('') || parameters.get('pageTitle') || '' : ''
  return included === '' ? '' : `<p>See the page ${included}.</p>`
}

function codeBlock(macro: Macro | undefined, text: string): string {
  const title = macro?.parameters.get('title') ?? ''
  const named = macro?.name === 'code' ? (macro.parameters.get('language') ?? '') : (macro?.name ?? '')
  const language = macro?.name === 'code' || languages.has(named) ? named.toLowerCase() : ''
  const shown = /^[\w+#.-]{1,40}$/.test(language) ? ` class="language-${language}"` : ''
  return `${title === '' ? '' : `<p>${title}</p>`}<pre><code${shown}>${text}</code></pre>`
}
