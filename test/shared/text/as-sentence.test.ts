import { expect, test } from 'vitest'
import { asSentence } from '../../../shared/text/as-sentence.ts'

test.each([
  ['Empty reply from server', 'Empty reply from server.'],
  ['The repository is empty.', 'The repository is empty.'],
  ['Is it there?', 'Is it there?'],
])('the text %j becomes a sentence', (text, sentence) => {
  expect(asSentence(text)).toBe(sentence)
})
