import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { embeddingPool } from '../../../shared/ai/embedding-pool.ts'
import { localModels } from '../../../shared/ai/local/local-models.ts'
import { localEmbedder } from '../../../shared/ai/local-embedder.ts'
import { embeddingLimits } from '../../../shared/ai/models.ts'
import { localReranker } from '../../../shared/search/reranking/local-reranker.ts'
import type { SnippetRow } from '../../../shared/search/rows/snippet-store.ts'
import { writeRandomCrossEncoder, writeRandomEncoder } from '../../fixtures/local-models/random-model.ts'
import type { Documentation } from '../documentation.ts'
import { median, type Report } from '../report.ts'
import { cpuSeconds } from './server-process.ts'

const maxTexts = 200
const runs = 5
const question = 'how do I read a cookie'
const size = 'random weights, size of MiniLM-L6'

/** The time of models of a well-known size. Their weights are random, which changes what they say but not how long they take. */
export async function benchLocalModels({ note }: Report, folder: string, { libraries }: Documentation): Promise<void> {
  writeRandomEncoder(join(folder, 'encoder'))
  writeRandomCrossEncoder(join(folder, 'cross'))
  const stop = new AbortController()
  const local = localModels({ modelsDir: folder, stopping: stop.signal })
  const texts = libraries
    .flatMap(({ files }) => [...files.values()])
    .flatMap((text) => text.split(/\n(?=#)/))
    .flatMap((section) => section.match(/[\s\S]{80,2000}/g) ?? [])
    .slice(0, maxTexts)
  const version = local.versionOf('encoder', 'embedding')
  const checked = (vectors: Float32Array[]) => vectors
  const search = { weight: 1.2, readsOnlyEnglish: true }
  const limits = embeddingLimits('local', '')
  const options = { name: 'encoder', version, space: '', limits, search, dimensions: () => 384, checked }
  const embedder = localEmbedder(options, local)

  const loading = await timed(() => embedder.embed([question], 'query'))
  note({ figure: `local model: load (${size})`, measured: loading.ms, unit: 'ms', cpuSeconds: loading.cpuSeconds })
  const documents = await timed(() => embeddingPool(embedder).embed(texts))
  const characters = texts.reduce((sum, { length }) => sum + length, 0) / texts.length
  note({
    figure: 'local model: CPU seconds for 1,000 snippets',
    measured: (documents.cpuSeconds * 1_000) / texts.length,
    unit: 's',
    cpuSeconds: documents.cpuSeconds,
    more: `${texts.length} of ${characters.toFixed(0)} characters on average`,
  })
  const rows = texts.slice(0, 50).map((content) => ({ breadcrumb: ['Guide', 'Section'], content }) as SnippetRow)
  const reranker = localReranker('cross', local)
  await reranker.order(question, rows.slice(0, 2), stop.signal)
  const reranks = await repeated(() => reranker.order(question, rows, stop.signal))
  note({ figure: `local model: rerank ${rows.length} snippets`, wanted: { max: 3_000 }, unit: 'ms', ...reranks })
  const questions = await repeated(() => embedder.embed([question], 'query'))
  note({ figure: 'local model: embed a question', wanted: { max: 800 }, unit: 'ms', ...questions })
  stop.abort()
}

/** The median time and the CPU seconds of one run. */
async function repeated(work: () => Promise<unknown>): Promise<{ measured: number; cpuSeconds: number }> {
  const times: { ms: number; cpuSeconds: number }[] = []
  for (let run = 0; run < runs; run++) times.push(await timed(work))
  return { measured: median(times.map(({ ms }) => ms)), cpuSeconds: median(times.map(({ cpuSeconds }) => cpuSeconds)) }
}

/** CPU seconds of this process and of those of its models. */
async function timed(work: () => Promise<unknown>): Promise<{ ms: number; cpuSeconds: number }> {
  const [began, before] = [performance.now(), usedSeconds()]
  await work()
  return { ms: performance.now() - began, cpuSeconds: usedSeconds() - before }
}

function usedSeconds(): number {
  const children = readFileSync(`/proc/self/task/${process.pid}/children`, 'utf8').trim().split(' ').filter(Boolean)
  return [process.pid, ...children.map(Number)].reduce((sum, pid) => sum + cpuSeconds(pid), 0)
}
