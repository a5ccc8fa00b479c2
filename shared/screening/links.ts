import { hostOf, isKnownHost, isOrdinaryHost, isThrowaway } from './hosts.ts'

/** `text` is the text of the link, `at` its place. */
export type Link = { reason: string; text: string; at: number }

/** Inline links and images of Markdown, definitions of links, and the addresses of HTML. */
const inline = /(!?)\[([^[\]\n]{0,300})\]\(\s*<?([^\s<>)]{1,2000})/g
const definition = /^\s{0,3}\[([^\]\n]{1,200})\]:\s*<?([^\s>]{1,2000})/gm
const html =
  /<(a|img|iframe|source)\s[^<>]{0,500}?(?:href|src|srcset)\s*=\s*["']?([^"'\s>]{1,2000})(?=["'\s>])[^<>]{0,500}>([^<]{0,200})/gi

/** Links of reStructuredText and AsciiDoc. */
const rst = /`([^`<\n]{1,300})<([^\s`<>]{1,2000})>`_/g
const adoc = /(?:link:)?(https?:\/\/[^\s[\]]{1,2000})\[([^[\]\n]{1,300})\]/g

/** A place for data in the query of an image: it leaves when the image is shown. */
const placeholder =
  /[?&#][^=\s]{0,40}=[^&\s]{0,80}?(?:\{\{?|%7b|\[|%5b|<|%3c|\$\{?)[a-z _-]{0,40}(?:data|secret|history|conversation|chat|prompt|context|token|key|password|content|summary|base64|email|user|env|code|message|text|output|result|response|answer|info)/i
const running = /^(?:javascript|vbscript):|^data:(?:text\/html|application\/(?:javascript|x-sh)|text\/javascript)/i
const named = /^\s*(?:https?:\/\/|www\.)([a-z0-9.-]+\.[a-z]{2,})/i

/** A link that shows one host and leads to another, that runs code, or an image that takes data along. */
export function findLink(source: string, ownNames: ReadonlySet<string>): Link | undefined {
  const check = ({ index: at }: { index: number }, text: string, target: string, isImage: boolean): Link | undefined => {
    const reason = problemOf(text, target, isImage, ownNames)
    return reason === undefined ? undefined : { reason, text, at }
  }
  const first = <Match extends { index: number }>(matches: Iterable<Match>, read: (match: Match) => Link | undefined) => {
    for (const match of matches) {
      const link = read(match)
      if (link) return link
    }
    return undefined
  }
  return (
    (source.includes('](') && first(source.matchAll(inline), (m) => check(m, m[2] ?? '', m[3] ?? '', m[1] === '!'))) ||
    (source.includes(']:') && first(source.matchAll(definition), (m) => check(m, m[1] ?? '', m[2] ?? '', true))) ||
    (source.includes('<') &&
      first(source.matchAll(html), (m) => check(m, m[3] ?? '', m[2] ?? '', m[1]?.toLowerCase() !== 'a'))) ||
    (source.includes('`_') && first(source.matchAll(rst), (m) => check(m, m[1] ?? '', m[2] ?? '', false))) ||
    (source.includes('[') && first(source.matchAll(adoc), (m) => check(m, m[2] ?? '', m[1] ?? '', false))) ||
    undefined
  )
}

function problemOf(text: string, target: string, isImage: boolean, ownNames: ReadonlySet<string>): string | undefined {
  if (running.test(target) && !isImage) return 'a link runs code'
  const host = hostOf(target)
  if (host === '') return undefined
  if ((isImage || isThrowaway(host)) && placeholder.test(target) && !isKnownHost(host))
    return `an address takes data along to ${host}`
  const shown = named.exec(text)?.[1]?.toLowerCase()
  if (shown !== undefined && isOther(shown, host) && !isOrdinaryHost(host, ownNames))
    return `a link shows ${shown} and leads to ${host}`
  return undefined
}

/** Another owner: `docs.acme.com` and `acme.io` are of one, `acme.com.login.io` is not. */
function isOther(shown: string, host: string): boolean {
  const owner = host.split('.').at(-2) ?? ''
  return shown !== host && !shown.split('.').slice(0, -1).includes(owner)
}
