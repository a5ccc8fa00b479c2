import type { Tokenizers } from './runtime.ts'

/** The token ids of a text or of a pair of texts, and for each token 1 if it is of the second text. */
export type Encode = (text: string, pair?: string) => { ids: number[]; typeIds: number[] }

/** A token as text, or as the object of older files. */
type Token = string | { content: string } | null | undefined

type TokenizerFiles = {
  tokenizer: { truncation?: { max_length?: number } | null; model?: { unk_token?: Token; merges?: unknown } }
  config: { model_max_length?: number; unk_token?: Token }
  /** The limit of the model's other files. */
  maxTokens: number | undefined
}

/** The limit of models of the usual size. */
const usualTokens = 512

/** Encodes with the tokenizer of a model. A longer text is cut to the lowest limit of its files, and still ends with the token for the end. */
export function tokenEncoder({ Tokenizer }: Tokenizers, { tokenizer, config, maxTokens }: TokenizerFiles): Encode {
  // The package reads it from one or the other file, depending on the kind of the tokenizer.
  const unk_token = textOf(tokenizer.model?.unk_token) ?? textOf(config.unk_token)
  // Merged bytes (BPE) cover all words, or leave out what they do not cover.
  const named = unk_token === undefined || tokenizer.model?.merges ? {} : { unk_token }
  const encoder = new Tokenizer({ ...tokenizer, model: { ...tokenizer.model, ...named } }, { ...config, ...named })
  const encoded = (text: string, pair?: string) => {
    const { ids, token_type_ids } = encoder.encode(text, { text_pair: pair, return_token_type_ids: true })
    if (ids.some((id: unknown) => !Number.isInteger(id))) throw new Error(noUnknown)
    return { ids, typeIds: token_type_ids ?? ids.map(() => 0) }
  }
  const limits = [maxTokens, tokenizer.truncation?.max_length, config.model_max_length].filter((limit) => limit !== undefined)
  const max = limits.length > 0 ? Math.min(...limits) : usualTokens
  encoded(unknownWord)
  const endTokens = commonEnd(encoded('').ids, encoded('a').ids)
  const cut = (values: number[]) =>
    values.length > max ? [...values.slice(0, max - endTokens), ...values.slice(values.length - endTokens)] : values
  return (text, pair) => {
    const { ids, typeIds } = encoded(text, pair)
    return { ids: cut(ids), typeIds: cut(typeIds) }
  }
}

/** In letters of Gothic, Linear B and cuneiform. */
const unknownWord = '\u{10330}\u{10080}\u{12000}'
const noUnknown = 'neither it nor tokenizer_config.json names a token of its vocabulary for unknown words (unk_token)'

const textOf = (token: Token): string | undefined => (typeof token === 'object' ? token?.content : token)

function commonEnd(a: number[], b: number[]): number {
  let length = 0
  while (length < a.length && a.at(-1 - length) === b.at(-1 - length)) length += 1
  return length
}
