import { bundleSnippet } from '../../../shared/bundle/bundle-snippet.ts'
import { isCode } from '../../../shared/snippet.ts'
import { head } from '../../fixtures/bundle.ts'
import { makeRows } from '../hosted/make-rows.ts'

export type MadeElement = {
  project: string
  snippets: number
  /** Characters that each snippet has beyond its own 1,200. */
  padding?: number
}

/** The body of an import, `{"libraries":[…],"force":false}`, of generated snippets. `prose` returns text of the given length that never repeats. */
export async function* bundleText(elements: MadeElement[], prose: (characters: number) => string): AsyncGenerator<Buffer> {
  let open = '{"libraries":['
  for (const [seed, element] of elements.entries()) {
    yield* elementText(element, seed + 1, prose, open)
    open = ','
  }
  yield Buffer.from('],"force":false}')
}

async function* elementText(
  { project, snippets, padding = 0 }: MadeElement,
  seed: number,
  prose: (characters: number) => string,
  open: string,
) {
  const facts = head({ project, title: project, totalSnippets: snippets })
  yield Buffer.from(`${open}${JSON.stringify(facts).slice(0, -1)},"codeSnippets":[`)
  yield* listText(true)
  yield Buffer.from('],"infoSnippets":[')
  yield* listText(false)
  yield Buffer.from(']}')

  function* listText(code: boolean) {
    let order = 0
    let separator = ''
    for (const rows of makeRows(snippets, seed)) {
      let text = ''
      for (const row of rows) {
        if (isCode(row) === code) {
          const own = { ...row, content: `${row.content}\n\n${prose(padding)}` }
          text += separator + JSON.stringify(bundleSnippet(own, order))
          separator = ','
        }
        order += 1
      }
      yield Buffer.from(text)
    }
  }
}
