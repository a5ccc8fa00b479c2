import { expect, test } from 'vitest'
import type { LocalModels } from '../../../../shared/ai/local/local-models.ts'
import type { ModelFolder } from '../../../../shared/ai/local/model-folder.ts'
import { localReranker } from '../../../../shared/search/reranking/local-reranker.ts'
import type { SnippetRow } from '../../../../shared/search/rows/snippet-store.ts'

const row = (breadcrumb: string[], content: string) => ({ breadcrumb, content }) as SnippetRow

test('a cross-encoder reads headings and the start of a text, and candidates with the same score keep their order', async () => {
  const read: string[] = []
  const models: LocalModels = {
    find: (name) => ({ name }) as ModelFolder,
    defaultEncoder: () => undefined,
    skippedEncoders: () => [],
    isBuiltIn: () => false,
    versionOf: () => 'v1',
    encode: () => Promise.reject(new Error('unused')),
    async score(_model, _question, passages) {
      read.push(...passages)
      return passages.map((passage) => (passage.includes('answer') ? 1 : 0))
    },
  }
  const reranker = localReranker('cross', models)
  const candidates = [
    row(['Kettle'], 'one'),
    row(['A'.repeat(500)], 'two'),
    row(['Pan', 'Use'], 'answer'),
    row([], 'x'.repeat(999)),
  ]
  expect(await reranker.order('question', candidates, new AbortController().signal)).toEqual([2, 0, 1, 3])
  expect(read).toEqual(['Kettle\none', `${'A'.repeat(120)}\ntwo`, 'Pan > Use\nanswer', `\n${'x'.repeat(399)}`])
  expect(reranker.model).toBe('local v1 cross')
})
