import { readsLikeInstruction } from './classifier.ts'
import { type FoundPhrase, phrasesIn, type Signal } from './phrases.ts'
import { type Word, wordsOf } from './words.ts'

/** Text that addresses an agent as its user or its system would. */
export type Instruction = { signals: (Signal | 'wording')[] }

/** Marks with which prompts separate roles. Documentation of models shows them, too, so one alone is no instruction. */
const roleMark =
  /<\/?(?:system|system-reminder|system_prompt|important|information|instructions?|admin)>|\[\/?(?:inst|system|sys)\]|<<\/?sys>>|<\|(?:im_start|system|user|assistant|start_header_id)\b|^#{1,4} ?(?:system|instruction|human|assistant)s?:|\b(?:begin|end) (?:system|admin|hidden)\b|\bsystem (?:message|override|notice|alert|note|instruction)s?\b {0,3}[:\]]|^(?:system|human) ?:|#{2,6} ?\(system|\[ ?system ?:|<\/?tool_code\b|--dangerously-skip-permissions|--trust-all-tools/gim

/** A sentence that begins with the name of its reader. */
const spokenTo =
  /(?:^\s{0,3}|[.!?>(*"#]\s{0,3}|\n[ \t>*-]{0,8})(?:dear |hey |hi |all )?(?:ai|llms?|(?:ai|coding|automated) (?:assistants?|agents?|readers?|models?)|assistants?|agents?|language models?|models|chatbots?|copilot|claude|chatgpt|gemini|cursor|codex)(?:[,:] | (?:must|should|shall|reading|has to|have to)\b)/gim

/** The same sentence in other languages: what was said before is to be ignored. */
const foreignOverride = [
  /\bignor(?:e|ez|a|ar|iere|ieren)\b[^.\n]{0,30}\b(?:instructions?|instrucciones|istruzioni|instruções|anweisungen|instruktionen|consignes|directives)\b[^.\n]{0,12}\b(?:précédentes|anteriores|previas|precedenti)/iu,
  /\bignorier\w{0,3}\b[^.\n]{0,20}\b(?:vorherigen|bisherigen|vorigen|obigen|früheren)\b[^.\n]{0,12}\b(?:anweisungen|instruktionen|befehle)/iu,
  /(?:忽略|無視|无视)[^。\n]{0,10}(?:指令|指示|说明|說明|提示|命令|规则)|(?:以前|上記|これまで|前)の(?:指示|命令|指令)[^。\n]{0,8}無視/u,
  /이전[^.\n]{0,6}(?:지시|명령|지침)[^.\n]{0,8}무시|игнорируй(?:те)?[^.\n]{0,20}(?:инструкци|указани)/iu,
]

/** Signals that documentation for people has hardly. */
const directed: ReadonlySet<Signal> = new Set(['override', 'persona', 'role', 'address', 'conceal', 'leak', 'steer', 'decode'])

/** Signals within so many words belong together. */
const nearWords = 70

/**
 * The sums of weights from which a text is an instruction: with a signal that documentation for people has hardly, and without. `page` is text that
 * people read, `rule` a text that is written for agents, `hidden` one that people do not see, `field` one that a page may
 * leave out.
 */
const least = {
  page: { directed: 3, other: 5 },
  rule: { directed: 3, other: 3 },
  field: { directed: 3, other: 5 },
  hidden: { directed: 2, other: 2 },
}

/** The first instruction to an agent in a text, or undefined. Rules are instructions by nature, so that their wording alone says nothing. */
export function findInstruction(text: string, where: keyof typeof least): Instruction | undefined {
  const words = wordsOf(text)
  const found = foundIn(text, words)
  const byPhrases = found.length === 0 ? undefined : instructionOf(found, where)
  if (byPhrases || where === 'rule') return byPhrases
  return readsLikeInstruction(words, found, where !== 'page') ? { signals: ['wording'] } : undefined
}

function instructionOf(phrases: FoundPhrase[], where: keyof typeof least): Instruction | undefined {
  const found = [...phrases].sort((a, b) => a.word - b.word)
  let [start, sum] = [0, 0]
  for (let end = 0; end < found.length; end++) {
    const last = found[end] as FoundPhrase
    while (last.word - (found[start] as FoundPhrase).word > nearWords) start++
    const near = found.slice(start, end + 1)
    const weights = new Map<Signal, number>()
    for (const { signal, weight } of near) weights.set(signal, Math.max(weights.get(signal) ?? 0, weight))
    sum = [...weights.values()].reduce((total, weight) => total + weight, 0)
    // Documentation for people keeps secrets from people, too.
    const directedSum = least[where].directed + (where === 'page' && weights.get('secrets') === 1 ? 1 : 0)
    const isDirected = [...weights].some(([signal, weight]) => weight > 1 && directed.has(signal))
    if (last.weight >= 3 || sum >= (isDirected ? directedSum : least[where].other)) {
      const together = found.filter(({ word }) => Math.abs(word - last.word) <= nearWords)
      return { signals: [...new Set(together.map(({ signal }) => signal))] }
    }
  }
  return undefined
}

/** Phrases and marks that suggest something. */
export const foundIn = (text: string, words: Word[]): FoundPhrase[] => [
  ...phrasesIn(words),
  ...marksIn(text, words),
  ...foreignIn(text),
]

function marksIn(text: string, words: { at: number }[]): FoundPhrase[] {
  const marks: FoundPhrase[] = []
  const wordAt = (at: number) => {
    const next = words.findIndex((word) => word.at >= at)
    return next < 0 ? words.length : next
  }
  for (const { index: at } of text.matchAll(roleMark)) marks.push({ signal: 'role', weight: 2, at, word: wordAt(at) })
  for (const { index: at } of text.matchAll(spokenTo)) marks.push({ signal: 'address', weight: 2, at, word: wordAt(at) })
  return marks
}

function foreignIn(text: string): FoundPhrase[] {
  for (const pattern of foreignOverride) {
    const match = pattern.exec(text)
    if (match) return [{ signal: 'override', weight: 3, at: match.index, word: 0 }]
  }
  return []
}
