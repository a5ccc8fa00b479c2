import { z } from 'zod'
import type { SnippetStore } from '../../shared/search/rows/snippet-store.ts'
import { folderOf, listPath, type Part } from './list-path.ts'
import type { StoredFile, StoredFiles } from './stored-files.ts'

/** A generation has some dozens of files, and a list of them is two requests. */
const checkMs = 10_000

const Files = z.array(z.object({ path: z.string(), bytes: z.int().nonnegative() }))
const FileList = z.object({ rows: Files, statistics: Files })
export type FileList = z.infer<typeof FileList>

/**
 * Snippets whose finished generations have a list of the files that reading them needs, so that a reader can copy them without listing S3,
 * and damage is found without reading them.
 */
export const listedSnippets = (stored: SnippetStore, files: StoredFiles): SnippetStore => ({
  ...stored,
  isIntact: (generation) => isIntact(files, generation, AbortSignal.timeout(checkMs)),
  async write(generation) {
    const writer = await stored.write(generation)
    const neededBy = async (part: Part) =>
      neededFiles(await files.list(folderOf(generation, part))).map(({ path, bytes }) => ({ path, bytes }))
    return {
      ...writer,
      async finish(statistics, origins) {
        await writer.finish(statistics, origins)
        const list: FileList = { rows: await neededBy('rows'), statistics: await neededBy('statistics') }
        await files.write(listPath(generation), JSON.stringify(list))
      },
    }
  },
})

/** Returns undefined if the generation is gone or has no list. */
export async function readFileList(files: StoredFiles, generation: string, signal: AbortSignal): Promise<FileList | undefined> {
  const body = await files.read(listPath(generation), { signal })
  if (!body) return undefined
  const pieces: Buffer[] = await body.toArray()
  return FileList.parse(JSON.parse(Buffer.concat(pieces).toString()))
}

/** True if the files that reading a generation needs are as its writer left them: none is missing, has another size, or was written later. */
export async function isIntact(files: StoredFiles, generation: string, signal: AbortSignal): Promise<boolean> {
  const list = await readFileList(files, generation, signal)
  if (!list) return false
  const listed = await Promise.all([folderOf(generation, 'rows'), folderOf(generation, 'statistics')].map(files.list))
  const stored = new Map(listed.flat().map((file) => [file.path, file]))
  const finishedAtMs = stored.get(listPath(generation))?.writtenAtMs ?? 0
  return [...list.rows, ...list.statistics].every(({ path, bytes }) => {
    const file = stored.get(path)
    return file?.bytes === bytes && file.writtenAtMs <= finishedAtMs
  })
}

/** The data, the indexes and the newest manifest. LanceDB names manifests by a number that counts down. */
function neededFiles(files: StoredFile[]): StoredFile[] {
  const isManifest = ({ path }: StoredFile) => /\/_versions\/\d{20}\.manifest$/.test(path)
  const [newest] = files.filter(isManifest).sort((a, b) => (a.path < b.path ? -1 : 1))
  const others = files.filter((file) => !isManifest(file) && /\/(data|_indices|_deletions|_versions)\//.test(file.path))
  return newest ? [newest, ...others] : others
}
