import type { Flag, FlagKind, Snippet } from '../snippet.ts'
import { visibleText } from '../text/visible-text.ts'
import { findCommand } from './commands.ts'
import { decodedTexts } from './decoded.ts'
import { hiddenTexts, splitsWords, withoutCode } from './hidden-text.ts'
import { isKnownHost, isOrdinaryHost, ownNamesOf } from './hosts.ts'
import { findInstruction } from './instructions.ts'
import { findLink } from './links.ts'
import type { Signal } from './phrases.ts'

const meanings: Record<Signal | 'wording', string> = {
  override: 'tells agents to ignore their instructions',
  persona: 'gives agents another role',
  role: 'imitates a message of the system',
  address: 'addresses agents',
  conceal: 'wants something kept from the user',
  leak: 'asks for the prompt or the conversation',
  secrets: 'names secrets',
  exfiltrate: 'wants data sent away',
  act: 'wants tools used',
  steer: 'wants answers changed',
  decode: 'wants a text decoded and followed',
  wording: 'reads like an instruction to an agent',
}

type Place = Parameters<typeof findInstruction>[1]
type Finding = { kind: FlagKind; reason: string }

/** The flag of a snippet by its own text, or undefined. */
export function flagOf(
  { breadcrumb, content, path, url }: Pick<Snippet, 'breadcrumb' | 'content' | 'path' | 'url'>,
  where: Place = 'page',
): Flag | undefined {
  const own = ownNamesOf(url)
  const text = `${wordsOfPath(path)}\n\n${breadcrumb.join('\n\n')}\n\n${content}`
  const findings = [...instructionsIn(text, where), ...commandsIn(content, (host) => isOrdinaryHost(host, own))]
  const encoded = encodedIn(text)
  const all = [...findings, ...encoded]
  if (all.length === 0) return undefined
  return flag(all, encoded.length > 0)
}

/** The snippet with a flag for its text. What was found in its file stays flagged, because snippets do not have that. */
export function withFlag<Flagged extends Pick<Snippet, 'breadcrumb' | 'content' | 'path' | 'url' | 'flag'>>(
  snippet: Flagged,
): Flagged {
  const { flag: earlier, ...unflagged } = snippet
  const ofFile = earlier?.kinds.some((kind) => kind === 'hidden' || kind === 'link') ? earlier : undefined
  const found = flagOf(snippet)
  if (ofFile ?? found) return { ...snippet, flag: joined([ofFile, found]) }
  return earlier ? (unflagged as Flagged) : snippet
}

function joined(given: (Flag | undefined)[]): Flag {
  const flags = given.filter((each) => each !== undefined)
  const parts = new Set(flags.flatMap(({ reason }) => reason.split('; ')))
  return {
    kinds: [...new Set(flags.flatMap(({ kinds }) => kinds))],
    reason: [...parts].join('; ').slice(0, maxReason),
    ...(flags.some(({ concealed }) => concealed) && { concealed: true as const }),
  }
}

const maxReason = 500

/** The flag of a text that stands alone, such as a rule. */
export const flagOfText = (content: string): Flag | undefined => flagOf({ breadcrumb: [], content, path: '', url: '' }, 'rule')

/** True for a title or description that would be flagged. */
export const mayInstruct = (content: string): boolean => flagOf({ breadcrumb: [], content, path: '', url: '' }) !== undefined

function flag(findings: Finding[], isConcealed: boolean): Flag {
  return {
    kinds: [...new Set(findings.map(({ kind }) => kind))],
    reason: findings.map(({ reason }) => reason).join('; '),
    ...(isConcealed && { concealed: true as const }),
  }
}

function instructionsIn(text: string, where: Place): Finding[] {
  const found = findInstruction(text, where)
  return found ? [{ kind: 'instruction', reason: `it ${found.signals.map((signal) => meanings[signal]).join(', ')}` }] : []
}

function commandsIn(content: string, isOrdinary: (host: string) => boolean): Finding[] {
  const found = findCommand(content, isOrdinary)
  return found ? [{ kind: 'command', reason: found.reason }] : []
}

function encodedIn(text: string): Finding[] {
  for (const { text: decoded, how } of decodedTexts(text)) {
    const [found] = [...instructionsIn(decoded, 'hidden'), ...commandsIn(decoded, never)]
    if (found) return [{ kind: 'encoded', reason: `a text in ${how}: ${found.reason}` }]
  }
  return []
}

/** No host is ordinary for a command that is encoded. */
const never = () => false

/** Something that a source file has and its chunks have not: hidden instructions, and addresses of links. `text` is what a chunk may still show. */
export type FileFinding = Finding & { line: number; text: string; concealed?: true; ifUnseen?: true }

export function fileFindings(source: string, path: string, url: string): FileFinding[] {
  const found: FileFinding[] = []
  for (const { text, at, how, ifUnseen, isShown } of hiddenTexts(source, path)) {
    const place = isShown ? 'page' : ifUnseen ? 'field' : 'hidden'
    const [first] = [...instructionsIn(text, place), ...commandsIn(text, isKnownHost), ...encodedIn(text)]
    if (first === undefined) continue
    const line = lineAt(source, at)
    if (isShown && first.kind !== 'encoded')
      found.push({ kind: 'hidden', reason: `line ${line}: ${how} has a text: ${first.reason}`, line, text })
    else found.push({ ...hidden(line, text, `${how} hides a text: ${first.reason}`), ...(ifUnseen && { ifUnseen }) })
  }
  const link = findLink(withoutCode(source, path), ownNamesOf(url))
  if (link) found.push({ kind: 'link', reason: link.reason, line: lineAt(source, link.at), text: link.text })
  if (!splitsWords(source)) return found
  for (const [line, text] of source.split('\n').entries()) {
    const [first] = splitsWords(text) ? instructionsIn(visibleText(text), 'hidden') : []
    if (first) found.push(hidden(line + 1, visibleText(text), `invisible characters split its words: ${first.reason}`))
  }
  return found
}

const hidden = (line: number, text: string, reason: string): FileFinding => ({
  kind: 'hidden',
  reason: `line ${line}: ${reason}`,
  line,
  text,
  concealed: true,
})

/** The chunks with flags for what was found in their file: the chunk that has the text, else the one that starts before it. */
export function withFindings<Part extends { content: string; line: number; file?: string; flag?: Flag }>(
  chunks: Part[],
  findings: FileFinding[],
): Part[] {
  const flagged = [...chunks]
  for (const { line, text, kind, reason, concealed, ifUnseen } of findings) {
    const start = text.trim().slice(0, 60)
    const own = start === '' ? -1 : flagged.findIndex(({ content }) => content.includes(start))
    if (ifUnseen && own >= 0) continue
    const before = flagged.findLastIndex((chunk) => chunk.file === undefined && chunk.line > 0 && chunk.line <= line)
    const at = own >= 0 ? own : Math.max(0, before)
    const chunk = flagged[at]
    if (chunk) flagged[at] = { ...chunk, flag: joined([chunk.flag, { kinds: [kind], reason, ...(concealed && { concealed }) }]) }
  }
  return flagged
}

function lineAt(source: string, at: number): number {
  let line = 1
  for (let next = source.indexOf('\n'); next >= 0 && next < at; next = source.indexOf('\n', next + 1)) line++
  return line
}

/** A file may be named like a sentence. */
const wordsOfPath = (path: string): string => path.replace(/\.[a-z0-9]+$/i, '').replaceAll(/[-_/+%]+|(?<=[a-z])(?=[A-Z])/g, ' ')
