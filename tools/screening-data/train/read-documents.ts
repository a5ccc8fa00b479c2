import { readDocument } from '../../../shared/reading/read-document.ts'
import { documentsIn } from '../../ranking-data/vectors/read-chunks.ts'

const address = { platform: 'github', webUrl: 'file:' } as const
const fileBytes = 1_000_000

/** The texts of the chunks of a checkout as they are screened, at most `limit`, spread over its pages. */
export async function readDocuments(folder: string, files: RegExp, limit: number): Promise<string[]> {
  const paths = (await documentsIn(folder)).filter((path) => files.test(path))
  const texts: string[] = []
  for (const path of paths) {
    const read = await readDocument({ root: folder, path, address, commit: 'HEAD', fileBytes })
    if ('skipped' in read) continue
    for (const chunk of read.page.chunks) texts.push(`${chunk.breadcrumb.join('\n\n')}\n\n${chunk.content}`)
  }
  const step = Math.max(1, texts.length / limit)
  return Array.from({ length: Math.min(limit, texts.length) }, (_, i) => texts[Math.floor(i * step)] as string)
}
