import type { Tokenizers } from './runtime.ts'

/** The token ids of a text or of a pair of texts, and for each token 1 if it is of the second text. */
export type Encode = (text: string, pair?: string) => { ids: number[]; typeIds: number[] }

type TokenizerFiles = {
  tokenizer: { truncation?: { max_length?: number } | null }
  config: { model_max_length?: number }
  /** The limit of the model's other files. */
  maxTokens: number | undefined
}

/** The limit of models of the usual size. */
const usualTokens = 512

/** Encodes with the tokenizer of a model. A longer text is cut to the lowest limit of its files, and still ends with the token for the end. */
export function tokenEncoder({ Tokenizer }: Tokenizers, { tokenizer, config, maxTokens }: TokenizerFiles): Encode {
  const encoder = new Tokenizer(tokenizer, config)
  const encoded = (text: string, pair?: string) => {
    const { ids, token_type_ids } = encoder.encode(text, { text_pair: pair, return_token_type_ids: true })
    return { ids, typeIds: token_type_ids ?? ids.map(() => 0) }
  }
  const limits = [maxTokens, tokenizer.truncation?.max_length, config.model_max_length].filter((limit) => limit !== undefined)
  const max = limits.length > 0 ? Math.min(...limits) : usualTokens
  const endTokens = commonEnd(encoded('').ids, encoded('a').ids)
  const cut = (values: number[]) =>
    values.length > max ? [...values.slice(0, max - endTokens), ...values.slice(values.length - endTokens)] : values
  return (text, pair) => {
    const { ids, typeIds } = encoded(text, pair)
    return { ids: cut(ids), typeIds: cut(typeIds) }
  }
}

function commonEnd(a: number[], b: number[]): number {
  let length = 0
  while (length < a.length && a.at(-1 - length) === b.at(-1 - length)) length += 1
  return length
}
