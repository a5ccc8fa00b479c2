import * as tokenizers from '@huggingface/tokenizers'
import { expect, test } from 'vitest'
import type { Tokenizers } from '../../../../shared/ai/local/runtime.ts'
import { tokenEncoder } from '../../../../shared/ai/local/token-encoder.ts'
import { tinyTokenizer } from '../../../fixtures/local-models/tiny-model.ts'

type Files = Parameters<typeof tokenEncoder>[1]

const encoderOf = (tokenizer: Files['tokenizer'], config: Files['config']) =>
  tokenEncoder(tokenizers as unknown as Tokenizers, { tokenizer, config, maxTokens: undefined })
const withoutToken = { ...tinyTokenizer, model: { ...tinyTokenizer.model, unk_token: undefined } }
const wordPiece = { ...tinyTokenizer, model: { ...tinyTokenizer.model, type: 'WordPiece', continuing_subword_prefix: '##' } }
const unknown = Object.keys(tinyTokenizer.model.vocab).indexOf('[UNK]')

test.each<[string, Files['tokenizer'], Files['config']]>([
  ['the tokenizer', tinyTokenizer, {}],
  ['the tokenizer, and the configuration has none', tinyTokenizer, { unk_token: null }],
  ['the configuration', withoutToken, { unk_token: '[UNK]' }],
  ['the configuration, as an object', withoutToken, { unk_token: { content: '[UNK]' } }],
  ['the tokenizer of word pieces', wordPiece, {}],
])('an unknown word becomes the token for it that is named by %s', (_, tokenizer, config) => {
  expect(encoderOf(tokenizer, config)('zxqj').ids).toContain(unknown)
})

test.each<[string, Files['tokenizer'], Files['config']]>([
  ['no file names', withoutToken, {}],
  ['the vocabulary lacks', { ...tinyTokenizer, model: { ...tinyTokenizer.model, unk_token: '<none>' } }, {}],
])('a tokenizer is rejected if %s the token for unknown words, with the names of the files', (_, tokenizer, config) => {
  expect(() => encoderOf(tokenizer, config)).toThrow(/tokenizer_config\.json .*\(unk_token\)/)
})
