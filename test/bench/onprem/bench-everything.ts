import { join } from 'node:path'
import { titleOf } from '../../../shared/snippet.ts'
import { lanceSnippets } from '../../../shared/store/lance-snippets.ts'
import type { Documentation } from '../documentation.ts'
import { bytesOf, merged, questionsFor, slices } from '../libraries.ts'
import { median, quantile, type Report, timed } from '../report.ts'
import { fill, generationOf } from './fill.ts'
import { textTable } from './floor.ts'
import { prepare } from './prepare.ts'
import { type ServerProcess, startServerProcess } from './server-process.ts'

const large = { libraries: 200, snippets: 100_000 }
const searches = 500

/** The search over all libraries through the front door, while somebody types the words of headings. */
export async function benchEverything({ note }: Report, folder: string, texts: Documentation): Promise<void> {
  const all = merged(texts)
  const { snippets: ofAll } = await fill(await prepared(join(folder, 'all')), [all])
  const bytes = (bytesOf(all) / ofAll) * (large.snippets / large.libraries)
  const libraries = slices(texts, large.libraries, bytes)
  const dataDir = await prepared(join(folder, 'large'))
  const { snippets } = await fill(dataDir, libraries)
  const server = await startServerProcess(dataDir)
  const typed = libraries
    .flatMap((library, n) => questionsFor(library, 5, n))
    .slice(0, searches)
    .map(unfinished)
  const cpuAtFirst = server.cpuSeconds()
  const ms = await timed(async () => {
    while ((await search(server, 'x')).pending > 0);
  })
  note({
    figure: `text index of ${snippets} snippets in ${libraries.length} libraries`,
    measured: ms / 1000,
    unit: 's',
    cpuSeconds: server.cpuSeconds() - cpuAtFirst,
  })
  const times: number[] = []
  const cpuBefore = server.cpuSeconds()
  for (const words of typed) times.push(await timed(() => search(server, words)))
  const cpuSeconds = server.cpuSeconds() - cpuBefore
  note({
    figure: 'search over everything, p50',
    measured: median(times),
    unit: 'ms',
    cpuSeconds,
    more: `CPU of ${times.length} searches`,
  })
  note({
    figure: '  p95',
    wanted: { max: 100 },
    measured: quantile(times, 0.95),
    unit: 'ms',
    more: `slowest: ${slowest(typed, times)}`,
  })
  await server.stop()
  await floor({ note }, dataDir, libraries.length, typed)
}

async function prepared(dataDir: string): Promise<string> {
  await prepare(dataDir, {})
  return dataDir
}

async function search({ url }: ServerProcess, words: string): Promise<{ pending: number }> {
  const answer = await fetch(`${url}/api/search?${new URLSearchParams({ q: words })}`)
  if (!answer.ok) throw new Error(`HTTP ${answer.status}`)
  return (await answer.json()) as { pending: number }
}

/** The first words of a question, the last of which is not finished. */
const unfinished = (question: string, n: number): string => {
  const words = question
    .replace(/^how do I use /, '')
    .split(/\s+/)
    .slice(0, 1 + (n % 4))
  const last = words.pop() ?? ''
  return [...words, last.slice(0, Math.max(2, Math.ceil(last.length / 2)))].join(' ')
}

const slowest = (typed: string[], times: number[]): string => JSON.stringify(typed[times.indexOf(Math.max(...times))] ?? '')

/** The same words in one full-text table of SQLite, in this process. */
async function floor({ note }: Pick<Report, 'note'>, dataDir: string, libraries: number, typed: string[]): Promise<void> {
  const store = lanceSnippets(join(dataDir, 'snippets'))
  const table = textTable(join(dataDir, 'floor.db'))
  for (let number = 0; number < libraries; number++)
    for await (const rows of store.scan(generationOf(number)))
      table.add(rows.map((row) => ({ title: titleOf(row), text: row.content })))
  store.close()
  const times: number[] = []
  for (const words of typed) times.push(await timed(async () => table.find(words)))
  table.close()
  note({
    figure: '  peer: one table of FTS5, any word, in process, p50',
    measured: median(times),
    unit: 'ms',
    more: `p95 ${quantile(times, 0.95).toFixed(1)}`,
  })
}
