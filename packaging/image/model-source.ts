import { cpSync, existsSync, mkdirSync, rmSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { catalogue } from '../../shared/ai/local/catalogue.ts'
import { root } from '../root.ts'

/** The folder of the checkout in which a model is carried to the builder. */
export const carriedModel = join(root, 'packaging/image/model')

/**
 * The build's argument MODEL for `--model`: `hub` or `none` as they are, `folder` for a folder, whose model is copied into the checkout. Returns
 * the path of the first file that the folder lacks in `missing`.
 */
export function carryModel(option: string): { argument: 'hub' | 'none' | 'folder'; missing?: string } {
  rmSync(carriedModel, { recursive: true, force: true })
  if (option === 'hub' || option === 'none') return { argument: option }
  for (const { path } of catalogue[0]?.files ?? []) {
    const from = join(option, path)
    if (!existsSync(from)) return { argument: 'folder', missing: from }
    mkdirSync(dirname(join(carriedModel, path)), { recursive: true })
    cpSync(from, join(carriedModel, path))
  }
  return { argument: 'folder' }
}
