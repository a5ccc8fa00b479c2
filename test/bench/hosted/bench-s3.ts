import { rm } from 'node:fs/promises'
import { join } from 'node:path'
import { parseLibraryId } from '../../../shared/library.ts'
import { getContext } from '../../../shared/search/get-context.ts'
import { lanceSnippets } from '../../../shared/store/lance-snippets.ts'
import { makeQuestions } from '../corpus.ts'
import { median, type Report } from '../report.ts'
import { countedS3 } from './count-s3.ts'
import { parseFolder, writeCorpus } from './parsed-folder.ts'

const [runs, asked] = [5, 100]

/** Requests to S3 per context if LanceDB's tables are on S3. */
export async function benchS3({ note }: Report, folder: string): Promise<void> {
  const root = join(folder, 's3-source')
  await writeCorpus(root, 1250)
  const s3 = await countedS3()
  try {
    const writing = lanceSnippets(s3.address)
    await parseFolder(root)(writing, 'bench-s3')
    writing.close()
    await rm(root, { recursive: true })
    const first: number[] = []
    const later: number[] = []
    const laterKb: number[] = []
    for (let run = 0; run < runs; run++) {
      // The state resembles a new container: no table is open.
      const snippets = lanceSnippets(s3.address)
      const ask = (query: string) =>
        getContext({ catalog, snippets }, { libraryId: parseLibraryId(libraryId), query, tokens: 5000 }).catch(unlessNothing)
      const [warmUp = '', ...questions] = makeQuestions(asked + 1, run)
      first.push(total(await s3.count(() => ask(warmUp))))
      const counted = await s3.count(async () => {
        for (const question of questions) await ask(question)
      })
      later.push(total(counted) / asked)
      laterKb.push(counted.answeredBytes / asked / 1000)
      snippets.close()
    }
    const figure = 'S3 reads of a context, 5,000 snippets'
    const more = `${median(laterKb).toFixed(0)} kB`
    note({ figure, measured: median(later), unit: 'requests', more })
    note({ figure: '  the first of a library in a container', measured: median(first), unit: 'requests' })
  } finally {
    await s3.close()
  }
}

const libraryId = '/bench/s3'
const library = {
  id: libraryId,
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
const catalog = { served: async () => ({ library, version: undefined, ref: '', generation: 'bench-s3', rules: [] }) }

const total = ({ requests }: { requests: Record<string, number> }) => Object.values(requests).reduce((sum, each) => sum + each, 0)

function unlessNothing(error: Error & { code?: string }): void {
  if (error.code !== 'no_snippets_found') throw error
}
