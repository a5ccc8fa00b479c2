import { readFileSync } from 'node:fs'
import { S3Client } from '@aws-sdk/client-s3'
import { copiedSnippets } from '../../../functions/generations/copied-snippets.ts'
import { s3Files } from '../../../functions/generations/stored-files.ts'
import { parseLibraryId } from '../../../shared/library.ts'
import { getContext } from '../../../shared/search/get-context.ts'
import { lanceSnippets } from '../../../shared/store/lance-snippets.ts'

/** A function's process for `bench-s3.ts`: `node ask-s3.ts BUCKET [FOLDER]` answers questions of its parent, with copies if it has a folder. */
const [bucket = '', folder] = process.argv.slice(2)
const stored = lanceSnippets(`s3://${bucket}/snippets`)
const files = s3Files(new S3Client({ forcePathStyle: true }), bucket, 'snippets')
const log = { warn: (fields: object, message: string) => console.error(message, fields) }
const snippets = folder === undefined ? stored : copiedSnippets(stored, files, { folder, log })
const id = '/bench/s3'
const library = {
  id,
  title: 's3',
  description: '',
  branch: 'main',
  lastUpdateDate: '',
  state: 'finalized' as const,
  totalTokens: 0,
  totalSnippets: 0,
  stars: -1,
  trustScore: -1,
  benchmarkScore: 0,
  versions: [],
  aliases: [],
  source: '',
}

export type Asked = { generation: string; query: string }
export type Answered = { ms: number; peakMb: number }

process.on('message', async ({ generation, query }: Asked) => {
  const catalog = { served: async () => ({ library, version: undefined, ref: '', generation, rules: [] }) }
  const began = performance.now()
  await getContext({ catalog, snippets }, { libraryId: parseLibraryId(id), query, tokens: 5000 }).catch(unlessNothing)
  const ms = performance.now() - began
  const peakMb = Number(/VmHWM:\s+(\d+)/.exec(readFileSync('/proc/self/status', 'utf8'))?.[1]) / 1024
  process.send?.({ ms, peakMb } satisfies Answered)
})

function unlessNothing(error: Error & { code?: string }): void {
  if (error.code !== 'no_snippets_found') throw error
}
