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

const filler = 'Every sentence of this paragraph says a little more about the same thing, in words that are all known by now. '

/** The body of an import, `{"libraries":[…],"force":false}`, made while it is sent. */
export async function* bundleText(elements: MadeElement[]): AsyncGenerator<Buffer> {
  let open = '{"libraries":['
  for (const [seed, element] of elements.entries()) {
    yield* elementText(element, seed + 1, open)
    open = ','
  }
  yield Buffer.from('],"force":false}')
}

async function* elementText({ project, snippets, padding = 0 }: MadeElement, seed: number, open: string) {
  const facts = head({ project, title: project, totalSnippets: snippets })
  const more = filler.repeat(Math.ceil(padding / filler.length)).slice(0, padding)
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
        const own = { ...row, content: `${row.content}\n\n${more}See item ${order}.` }
        if (isCode(row) === code) {
          text += separator + JSON.stringify(bundleSnippet(own, order))
          separator = ','
        }
        order += 1
      }
      yield Buffer.from(text)
    }
  }
}
