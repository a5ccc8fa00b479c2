import { expect, test } from 'vitest'
import { asciidocReader } from '../../../../shared/reading/asciidoc/reader.ts'
import { contextOf } from '../page-text.ts'

const read = async (text: string, files: Record<string, string>) => asciidocReader(text, contextOf('install/index.adoc', files))

test('a section of an included module is in the module, at its own line, under the headings of the assembly', async () => {
  const { title, sections } = await read(
    '= Installing\n\nRead this first.\n\n== Nodes\n\ninclude::../modules/add.adoc[leveloffset=+2]\n\nAfter the module.\n\n== Own\n\nText.\n',
    {
      'modules/add.adoc':
        '// Module\n\n[id="add"]\n= Add a node\n\nRun it.\n\n.Procedure\n\n. Start.\n+\ninclude::../snippets/note.adoc[]\n',
      'snippets/note.adoc': '\nA note.\n',
    },
  )
  expect(title).toBe('Installing')
  expect(sections.map(({ headings, file, line }) => [headings.join(' > '), file, line])).toEqual([
    ['', undefined, 1],
    ['Nodes', undefined, 5],
    ['Nodes > Add a node', 'modules/add.adoc', 4],
    ['Own', undefined, 11],
  ])
  const module = sections[2]?.blocks.map((block) => [block.kind === 'prose' && block.text, block.file, block.line])
  expect(module).toEqual([
    ['Run it.', 'modules/add.adoc', 6],
    ['**Procedure**', 'modules/add.adoc', 10],
    ['1. Start.\n\n   A note.', 'modules/add.adoc', 10],
    ['After the module.', undefined, 9],
  ])
})

test('text of a tagged region is at its line in the included file', async () => {
  const { sections } = await read('= Page\n\ninclude::part.adoc[tags=second]\n\ninclude::part.adoc[lines=3..3]\n', {
    'install/part.adoc': 'First.\n\nThird line.\n\n// tag::second[]\nSecond.\n// end::second[]\n',
  })
  expect(sections[0]?.blocks.map(({ file, line }) => [file, line])).toEqual([
    ['install/part.adoc', 6],
    ['install/part.adoc', 3],
  ])
})
