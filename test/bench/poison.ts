import { execFileSync } from 'node:child_process'
import { existsSync, globSync, mkdtempSync, readFileSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import { z } from 'zod'
import { limits } from '../../shared/indexing/limits.ts'
import { listFiles } from '../../shared/reading/discover/list-files.ts'
import { readDocument } from '../../shared/reading/read-document.ts'
import { fileFindings, flagOf } from '../../shared/screening/flag-text.ts'
import { flagsOfAttack, readAttacks } from '../poison/corpus.ts'

const usage = `usage: npm run poison [-- KIT]
Flags the poisoned pages of test/poison and says how many are found, by place, with the pages that no rule was fitted to apart. With the folder of an
evaluation kit (npm run eval), also flags the documentation of its corpora, in which every flag is a false alarm, and measures the cost.`

const [kit, ...more] = process.argv.slice(2)
if (more.length > 0 || (kit !== undefined && !existsSync(kit))) {
  console.error(usage)
  process.exit(2)
}

const found: Record<string, { found: number; of: number }> = {}
const count = (name: string, isFound: boolean) => {
  const row = found[name] ?? { found: 0, of: 0 }
  found[name] = { found: row.found + (isFound ? 1 : 0), of: row.of + 1 }
}
const missed: string[] = []
for (const attack of readAttacks()) {
  const isFound = (await flagsOfAttack(attack)).length > 0
  const place = attack.in
  for (const name of [attack.heldOut ? 'held out' : 'fitted', attack.isPublished ? 'published' : 'ours', `  in ${place}`, 'all'])
    count(name, isFound)
  if (!isFound) missed.push(`${attack.file}, ${place}: ${attack.says.slice(0, 120).replaceAll('\n', ' ')}`)
}
console.log('Poisoned pages that are flagged:')
const rows = Object.entries(found).sort(([a], [b]) => Number(a.startsWith(' ')) - Number(b.startsWith(' ')) || (a < b ? -1 : 1))
console.table(Object.fromEntries(rows.map(([name, row]) => [name, { ...row, '%': percent(row.found, row.of) }])))
console.log(`Not found:\n${missed.join('\n')}`)
if (kit !== undefined) await falseAlarms(kit)

/** Flags in the corpora of a kit, by corpus, and the time of flagging and of reading. */
async function falseAlarms(folder: string): Promise<void> {
  const Corpus = z.object({ corpus: z.string(), repo: z.string(), bundle: z.string() })
  const table: Record<string, object> = {}
  const total = { files: 0, chunks: 0, flagged: 0, withheld: 0, readingMs: 0, flaggingMs: 0 }
  const work = mkdtempSync(join(tmpdir(), 'poison-corpora-'))
  try {
    for (const file of globSync('*/corpora.json', { cwd: folder }).sort())
      for (const corpus of z.array(Corpus).parse(JSON.parse(readFileSync(join(folder, file), 'utf8')))) {
        const root = join(work, corpus.corpus)
        execFileSync('git', ['clone', '--quiet', '--branch', 'main', join(folder, dirname(file), corpus.bundle), root])
        const row = await flagsOf(root, corpus.repo)
        table[corpus.corpus] = { ...row, '%': percent(row.flagged, row.chunks, 3) }
        for (const name of Object.keys(total) as (keyof typeof total)[]) total[name] += row[name]
      }
  } finally {
    rmSync(work, { recursive: true })
  }
  console.log('False alarms:')
  console.table({ ...table, all: { ...total, '%': percent(total.flagged, total.chunks, 3) } })
  const perChunk = Math.round((total.flaggingMs * 1000) / total.chunks)
  console.log(
    `Flagging takes ${(total.flaggingMs / 1000).toFixed(1)} s of CPU time, ${perChunk} µs per chunk; reading with it ${(total.readingMs / 1000).toFixed(1)} s.`,
  )
}

async function flagsOf(root: string, repo: string) {
  const row = { files: 0, chunks: 0, flagged: 0, withheld: 0, readingMs: 0, flaggingMs: 0 }
  const address = { platform: 'github', webUrl: `https://github.com/${repo}` } as const
  const { paths } = await listFiles(
    { documents: { root, selection: {}, limits: limits.documents } },
    limits.list,
    AbortSignal.timeout(600_000),
  )
  for (const path of paths) {
    const start = process.cpuUsage()
    const result = await readDocument({ root, path, address, commit: 'a'.repeat(40), fileBytes: limits.documents.fileBytes })
    row.readingMs += msSince(start)
    if ('skipped' in result) continue
    row.files++
    const again = process.cpuUsage()
    fileFindings(readFileSync(join(root, path), 'utf8'), path, address.webUrl)
    for (const chunk of result.page.chunks) flagOf(chunk)
    row.flaggingMs += msSince(again)
    row.chunks += result.page.chunks.length
    row.flagged += result.page.chunks.filter(({ flag }) => flag).length
    row.withheld += result.page.chunks.filter(({ flag }) => flag?.concealed).length
  }
  return { ...row, readingMs: Math.round(row.readingMs), flaggingMs: Math.round(row.flaggingMs) }
}

function msSince(start: NodeJS.CpuUsage): number {
  const { user, system } = process.cpuUsage(start)
  return (user + system) / 1000
}

function percent(part: number, of: number, digits = 1): string {
  return ((100 * part) / of).toFixed(digits)
}
