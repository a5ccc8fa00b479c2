import { globSync, mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { basename, dirname, join } from 'node:path'
import { parse } from 'yaml'
import { z } from 'zod'
import { readDocument } from '../../shared/reading/read-document.ts'
import { flagOfText } from '../../shared/screening/flag-text.ts'
import type { Flag } from '../../shared/snippet.ts'
import { carriers } from './carriers.ts'

const Attacks = z.strictObject({
  /** The publication that describes the attack, or Carrel. */
  source: z.string(),
  url: z.url().optional(),
  /** True if no rule may be fitted to these pages. */
  heldOut: z.boolean().default(false),
  pages: z.array(z.strictObject({ in: z.string(), says: z.string() })),
})

export type Attack = { file: string; source: string; isPublished: boolean; heldOut: boolean; in: string; says: string }

/** All attacks of `attacks/`, a page each. */
export function readAttacks(): Attack[] {
  return globSync('attacks/*.yaml', { cwd: import.meta.dirname })
    .sort()
    .flatMap((file) => {
      const { source, url, heldOut, pages } = Attacks.parse(parse(readFileSync(join(import.meta.dirname, file), 'utf8')))
      return pages.map((page) => ({ ...page, file: basename(file, '.yaml'), source, isPublished: url !== undefined, heldOut }))
    })
}

/** The source and the chunks of the page that an attack makes, as a job reads it. */
export async function pageOfAttack(attack: Attack) {
  const carrier = carriers[attack.in]
  if (!carrier) throw new Error(`There is no carrier ${attack.in}.`)
  const path = carrier.path === '' ? `docs/${attack.says}.md` : carrier.path
  const root = mkdtempSync(join(tmpdir(), 'poison-'))
  try {
    mkdirSync(dirname(join(root, path)), { recursive: true })
    const source = carrier.page(attack.says)
    writeFileSync(join(root, path), source)
    const address = { platform: 'github', webUrl: 'https://github.com/lumen/relay' } as const
    const result = await readDocument({ root, path, address, commit: 'a'.repeat(40), fileBytes: 1_000_000 })
    if ('skipped' in result) throw new Error(`${attack.in}: ${result.skipped}`)
    return { path, source, chunks: result.page.chunks }
  } finally {
    rmSync(root, { recursive: true })
  }
}

/** The flags of the page that an attack makes, as a job reads it. */
export async function flagsOfAttack(attack: Attack): Promise<Flag[]> {
  if (attack.in === 'rules') return [flagOfText(attack.says)].filter((flag) => flag !== undefined)
  const { chunks } = await pageOfAttack(attack)
  return chunks.flatMap(({ flag }) => flag ?? [])
}
