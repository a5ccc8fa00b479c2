import fc from 'fast-check'
import { expect, test } from 'vitest'
import { getContext } from '../../../shared/search/get-context.ts'
import type { ServedVersion } from '../../../shared/search/libraries/catalog.ts'
import { renderJson, renderText } from '../../../shared/search/render-answer.ts'
import type { SnippetStore } from '../../../shared/search/rows/snippet-store.ts'
import { type Files, indexedLibrary, withoutCommit } from '../../fixtures/indexed-library.ts'

// Dozens of generations are slow on a busy machine.
const sentences = (word: string, count: number) =>
  Array.from({ length: count }, (_, n) => `The ${word} of clock ${n} turns wheel ${n * 7} of tower${n} each hour.`).join('\n\n')
const sections = [
  ...['lever', 'pulley', 'spring', 'lever pulley'].map((word) => `## Turn a ${word}\n\nA ${word} turns the wheel of a clock.\n`),
  '## Run it\n\nStart the clock:\n\n```ts\nstartClock({ wheel: 7 })\n```\n',
  '## Menu > Wind > Spring\n\nWind the spring.\n\n### From the top > down\n\nThe lever winds it.\n\n#### In winter\n\nUse oil.\n',
  `## Long\n\n${sentences('spring', 30)}\n\n\`\`\`ts\nwindSpring()\n\`\`\`\n\n${sentences('lever', 20)}\n`,
  '',
]
const questions = ['wheel', 'how do I wind the spring of a clock', 'lever oil winter', 'startClock in the tower']

const page = fc
  .record({ title: fc.constantFrom('Clock', 'Lever', 'A > B'), parts: fc.array(fc.constantFrom(...sections), { maxLength: 5 }) })
  .map(({ title, parts }) => `# ${title}\n\n${parts.join('\n')}`)
const path = fc.constantFrom('a.md', 'b.md', 'c/d.md', 'e.md', 'f.mdx')
/** Pages that a commit writes, or deletes. */
const commit = fc.uniqueArray(fc.tuple(path, fc.option(page, { nil: undefined, freq: 4 })), {
  selector: ([at]) => at,
  minLength: 1,
})
const history = fc.array(commit, { minLength: 2, maxLength: 3 })

const library = {
  ...{ id: '/acme/docs', title: 'Docs', description: '', branch: 'main', lastUpdateDate: '', state: 'finalized' as const },
  ...{
    totalTokens: 1,
    totalSnippets: 1,
    stars: -1,
    trustScore: 10,
    benchmarkScore: 0,
    versions: [],
    aliases: [],
    source: 'Local',
  },
}

async function answersOf(snippets: SnippetStore, generation: string): Promise<string> {
  const served = async (): Promise<ServedVersion> => ({ library, version: undefined, ref: '', generation, rules: [] })
  const answers = await Promise.all(
    questions.map(async (query) => {
      const asked = { libraryId: { owner: 'acme', repo: 'docs' }, query, tokens: 1000 }
      const found = await getContext({ snippets, catalog: { served } }, asked)
      return renderText(found) + JSON.stringify(renderJson(found))
    }),
  )
  return withoutCommit(answers.join('\n'))
}

test('pages that share sections are stored and answer alike after a full read, a refresh, an import and a rebuild', async () => {
  const { snippets, index, carry, rebuild, stored } = indexedLibrary()
  let histories = 0
  const check = async (commits: [string, string | undefined][][]) => {
    const name = `h${histories++}`
    const files: Files = { 'z.md': '# Sundial\n\nA clock without a wheel, a spring or a lever: startClock does nothing.\n' }
    for (const [n, changes] of commits.entries()) {
      for (const [at, text] of changes) {
        if (text === undefined) delete files[at]
        else files[at] = text
      }
      const [kept, read, imported] = [`${name}kept${n}`, `${name}read${n}`, `${name}imported${n}`]
      await index(kept, files, n === 0 ? {} : { earlier: `${name}kept${n - 1}` })
      const { origins, ...content } = await stored(kept)
      const answers = await answersOf(snippets, kept)
      const expectSame = async (generation: string, its: { origins: string }) => {
        expect(await stored(generation)).toEqual({ ...content, ...its })
        expect(await answersOf(snippets, generation)).toBe(answers)
      }
      const pages = Map.groupBy(content.rows, (row) => row.page).values()
      const counted = [...pages].filter((rows) => rows.some(({ copy }) => !copy)).flat()
      expect(await snippets.statistics(kept)).toMatchObject({ chunks: counted.length })
      await carry(kept, imported)
      await expectSame(imported, { origins: '' })
      if (n === 0) continue
      await index(read, files)
      await expectSame(read, { origins })
    }
    const last = `${name}kept${commits.length - 1}`
    await rebuild(last, `${name}rebuilt`)
    expect(await stored(`${name}rebuilt`)).toEqual({ ...(await stored(last)), origins: '' })
  }
  await fc.assert(fc.asyncProperty(history, check), { numRuns: 5 })
})
