import { join } from 'node:path'
import { sqliteCatalog } from '../../../onprem/store/catalog/sqlite-catalog.ts'
import { openDatabase } from '../../../shared/store/database.ts'
import { generationFormat } from '../../../shared/store/generation-format.ts'
import { hardLink } from '../../fixtures/hard-link.ts'
import { generationOf } from './fill.ts'

/** Publishes copies of the first library of `fill`, whose content is hard links of it, and returns their ids. */
export function linkCopies(
  dataDir: string,
  copies: number,
  { snippets, host = 'https://github.com', commit = 'bench' }: { snippets: number; host?: string; commit?: string },
): string[] {
  const db = openDatabase(dataDir)
  const catalog = sqliteCatalog(db, () => new Date())
  const table = (generation: string, suffix: string) => join(dataDir, 'snippets', `${generation}${suffix}.lance`)
  const ids: string[] = []
  for (let number = 1; number <= copies; number++) {
    const generation = generationOf(number)
    for (const suffix of ['', '.statistics']) hardLink(table(generationOf(0), suffix), table(generation, suffix))
    const id = `/bench/copy-${number}`
    const facts = { title: id, description: '', branch: 'main', private: false, aliases: [], settings: {} }
    const content = { rules: [], format: generationFormat, tokens: snippets, snippets, codeSnippets: 0 }
    catalog.reserve(generation, 0)
    catalog.publish({ id, sourceUrl: `${host}${id}`, ...facts }, [{ version: '', ref: 'main', generation, commit, ...content }])
    ids.push(id)
  }
  db.close()
  return ids
}
