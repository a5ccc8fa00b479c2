import { describe, expect, test } from 'vitest'
import { findAsciidocIncludes } from '../../../../shared/reading/asciidoc/find-asciidoc-includes.ts'
import { asciidocReader } from '../../../../shared/reading/asciidoc/reader.ts'
import { codeOf, contextOf, pageText } from '../page-text.ts'

const page = 'docs/modules/ROOT/pages/servlet/get-started.adoc'
const read = async (text: string, files: Record<string, string>) => asciidocReader(text, contextOf(page, files))
const firstCode = async (text: string, files: Record<string, string>) => codeOf(await read(text, files))[0]?.code

const java = `package x;
// tag::all[]
class A {
    // tag::body[]
    void run() {}
    // end::body[]
    int b;
}
// end::all[]
`

describe('AsciiDoc: files of the repository', () => {
  test('paths are relative, or name module and family of the same Antora component', async () => {
    const files = {
      'docs/modules/ROOT/pages/servlet/near.adoc': 'near',
      'docs/modules/ROOT/partials/a.adoc': 'partial, which has include::example$b.txt[] in it\n\ninclude::example$b.txt[]',
      'docs/modules/ROOT/examples/b.txt': 'example',
      'docs/modules/other/pages/c.adoc': 'other module',
      'docs/modules/other/partials/d.adoc': 'its partial',
    }
    const targets = ['near.adoc', 'partial$a.adoc', 'other:c.adoc', '2.0@lib:other:partial$d.adoc']
    const text = targets.map((target) => `include::${target}[]\n`).join('\n')
    expect(pageText(await read(text, files))).toBe(
      '# (no title)\n\nnear\n\npartial, which has include::example$b.txt[] in it\n\nexample\n\nother module\n\nits partial',
    )
  })

  test.each([
    ['tags=body', 'void run() {}'],
    ['tag=all', 'class A {\n    void run() {}\n    int b;\n}'],
    ['tags=all;!body', 'class A {\n    int b;\n}'],
    ['tags=**', 'package x;\nclass A {\n    void run() {}\n    int b;\n}'],
    ['tags=*', 'class A {\n    void run() {}\n    int b;\n}'],
    ['tags=!*', 'package x;'],
    ['tags=**;*;!all', 'package x;'],
    ['', 'package x;\nclass A {\n    void run() {}\n    int b;\n}'],
    ['lines=1;5', 'package x;\n    void run() {}'],
    ['lines=7..-1', '    int b;\n}\n// end::all[]'],
  ])('a listing contains the lines that include::A.java[%s] selects', async (options, expected) => {
    const text = `[source,java${options === 'tags=body' ? ',indent=0' : ''}]\n----\ninclude::example$A.java[${options}]\n----\n`
    expect(await firstCode(text, { 'docs/modules/ROOT/examples/A.java': java })).toBe(expected)
  })

  test('leveloffset moves the sections of a part below those of the page', async () => {
    const files = { 'docs/modules/ROOT/partials/part.adoc': '= Part\n\nText.\n\n== Inner\n\nMore.\n' }
    const text = '= Page\n\ninclude::partial$part.adoc[leveloffset=+1]\n\n== Next\n\nEnd.\n'
    expect((await read(text, files)).sections.map(({ headings }) => headings)).toEqual([['Part'], ['Part', 'Inner'], ['Next']])
  })

  test('a target that is outside, absent or a URL leaves only the text around it', async () => {
    const outside = { 'etc/passwd': 'no', '../etc/passwd': 'no', 'docs/modules/ROOT/pages/servlet/etc/passwd': 'no' }
    const targets = [
      '/etc/passwd',
      '../../../../../../etc/passwd',
      'https://example.com/x.adoc',
      'missing.adoc',
      '{no}/x.adoc',
      'C:\\x',
    ]
    const text = `Before.\n\n${targets.map((target) => `include::${target}[]\n\n`).join('')}After.`
    expect(pageText(await read(text, outside))).toBe('# (no title)\n\nBefore.\n\nAfter.')
  })

  test('files that include each other are included once, and a file that includes itself many times stops at a limit', async () => {
    const folder = 'docs/modules/ROOT/pages/servlet'
    const cycle = {
      [`${folder}/a.adoc`]: 'A\n\ninclude::b.adoc[]\n',
      [`${folder}/b.adoc`]: 'B\n\ninclude::a.adoc[]\n\ninclude::get-started.adoc[]',
    }
    expect(pageText(await read('include::a.adoc[]\n', { ...cycle, [page]: 'itself' }))).toBe('# (no title)\n\nA\n\nB')
    const levels = Array.from({ length: 9 }, (_, level) => [
      `${folder}/${level}.adoc`,
      `x\n\n${`include::${level + 1}.adoc[]\n\n`.repeat(20)}`,
    ])
    const bomb = await read('include::0.adoc[]\n', Object.fromEntries(levels))
    expect(bomb.sections[0]?.blocks.length).toBeLessThan(10_000)
  })

  test('attributes of the component in antora.yml apply unless the page sets them', async () => {
    const files = { 'docs/antora.yml': 'asciidoc:\n  attributes:\n    boot: 4.0\n    name: theirs@\n' }
    expect(pageText(await read(':name: ours\n\n{boot} and {name}', files))).toBe('# (no title)\n\n4 and ours')
    expect(pageText(await read('{boot}', { 'docs/antora.yml': '{broken' }))).toBe('# (no title)\n\n{boot}')
  })

  test('include-code finds the class of a page in each language', async () => {
    const files = {
      'docs/antora.yml': "asciidoc:\n  attributes:\n    include-java: 'example$java'\n    include-kotlin: 'example$kotlin'\n",
      'docs/modules/ROOT/examples/java/servlet/getstarted/A.java': java,
      'docs/modules/ROOT/examples/kotlin/servlet/getstarted/A.kt': '// tag::body[]\nfun run() {}\n// end::body[]\n',
    }
    expect(codeOf(await read('Text:\n\ninclude-code::./A[tag=body,indent=0]\n\ninclude-code::./Missing[]', files))).toEqual([
      { kind: 'code', code: 'void run() {}', language: 'java', label: 'Java', group: 1, line: 3 },
      { kind: 'code', code: 'fun run() {}', language: 'kotlin', label: 'Kotlin', group: 1, line: 3 },
    ])
  })

  test('included files are found without parsing, except listings', () => {
    const text =
      'include::partial$a.adoc[]\n\ninclude::../b.adoc[leveloffset=1]\ninclude::example$C.java[]\ninclude::{x}/d.adoc[]\n'
    expect(findAsciidocIncludes(text, { path: page })).toEqual([
      'docs/modules/ROOT/partials/a.adoc',
      'docs/modules/ROOT/pages/b.adoc',
    ])
  })
})
