import { expect, test } from 'vitest'
import { htmlReader } from '../../../../shared/reading/html/reader.ts'
import { storageHtml } from '../../../../shared/sources/confluence/storage-html.ts'

const parameter = (name: string, value: string) => `<ac:parameter ac:name="${name}">${value}</ac:parameter>`
const macro = (name: string, inside: string) =>
  `<ac:structured-macro ac:name="${name}" ac:schema-version="1">${inside}</ac:structured-macro>`
const rich = (html: string) => `<ac:rich-text-body>${html}</ac:rich-text-body>`
const plain = (text: string) => `<ac:plain-text-body><![CDATA[${text}]]></ac:plain-text-body>`

const read = async (html: string) => htmlReader(html, { path: 'page.html', readFile: () => undefined })

/** The blocks that the reader of HTML finds: prose as its text, code as `language: code`. */
async function blocksOf(storage: string): Promise<string[]> {
  const page = await read(await storageHtml('Title', storage))
  return page.sections.flatMap(({ headings, blocks }) => [
    ...headings.filter((heading) => heading !== '').map((heading) => `# ${heading}`),
    ...blocks.map((block) => ('code' in block ? `${block.language}: ${block.code}` : block.text)),
  ])
}

test('headings are below the title of the page, and entities stay characters', async () => {
  const html = await storageHtml('Fish & <chips>', '<h1>Fry&nbsp;it</h1><p>It&rsquo;s &lt;hot&gt;</p>')
  expect(await read(html)).toMatchObject({ title: 'Fish & <chips>', sections: [{ headings: ['Fry it'] }] })
  expect(await blocksOf('<p>It&rsquo;s &lt;hot&gt;</p>')).toEqual(['It’s <hot>'])
})

test('a code macro keeps its language, its title and characters of markup', async () => {
  const text = 'List<String> a = b && c;\nend ]]]]><![CDATA[> of it'
  expect(await blocksOf(macro('code', parameter('language', 'Java') + parameter('title', 'Main.java') + plain(text)))).toEqual([
    'Main.java',
    'java: List<String> a = b && c;\nend ]]> of it',
  ])
  expect(await blocksOf(macro('noformat', plain('  kept  spaces')))).toEqual([':   kept  spaces'])
})

test('panels, expanders and unknown macros keep their text, and macros without text leave none', async () => {
  const storage = [
    macro('warning', parameter('title', 'Careful') + rich('<p>It is hot.</p>')),
    macro('expand', parameter('title', 'More') + rich('<p>Hidden at first.</p>')),
    macro('made-up', parameter('colour', 'blue') + rich('<p>Kept.</p>')),
    macro('toc', parameter('maxLevel', '3')),
    macro('children', ''),
    '<ac:placeholder>Write here</ac:placeholder>',
    `<p>${macro('status', parameter('title', 'BETA') + parameter('colour', 'Red'))} of <ac:emoticon ac:name="tick" ac:emoji-fallback="✅" /></p>`,
  ].join('')
  expect(await blocksOf(storage)).toEqual(['Warning: Careful\n\nIt is hot.\n\nMore\n\nHidden at first.\n\nKept.\n\nBETA of ✅'])
})

test('a panel of the new editor is read once', async () => {
  const storage =
    '<ac:adf-extension><ac:adf-node type="panel"><ac:adf-attribute key="panel-type">note</ac:adf-attribute><ac:adf-content><p>Once.</p></ac:adf-content></ac:adf-node><ac:adf-fallback><div><p>Once.</p></div></ac:adf-fallback></ac:adf-extension>'
  expect(await blocksOf(storage)).toEqual(['Note:\n\nOnce.'])
})

test('links and included pages are named by their titles, and images by their descriptions', async () => {
  const page = '<ri:page ri:content-title="Install &amp; run" ri:space-key="DOC" />'
  const storage = [
    `<p>Read <ac:link>${page}</ac:link> or <ac:link ac:anchor="x">${page}<ac:plain-text-link-body><![CDATA[the <guide>]]></ac:plain-text-link-body></ac:link>`,
    '<ac:link><ri:user ri:account-id="1" /></ac:link>.</p>',
    macro('include', parameter('', `<ac:link>${page}</ac:link>`)),
    '<p><ac:image ac:alt="A diagram"><ri:attachment ri:filename="d.png" /></ac:image></p>',
  ].join('')
  expect(await blocksOf(storage)).toEqual(['Read Install & run or the <guide>.\n\nSee the page Install & run.\n\nA diagram'])
})

test('tasks and tables become lists and tables', async () => {
  const task = (status: string, text: string) =>
    `<ac:task><ac:task-id>1</ac:task-id><ac:task-status>${status}</ac:task-status><ac:task-body>${text}</ac:task-body></ac:task>`
  const storage = `<ac:task-list>${task('complete', 'Fry')}${task('incomplete', 'Eat')}</ac:task-list><table class="wrapped"><colgroup><col /></colgroup><tbody><tr><th>Fish</th><th>Minutes</th></tr><tr><td colspan="1"><p>Cod</p></td><td>5</td></tr></tbody></table>`
  expect(await blocksOf(storage)).toEqual(['- [x] Fry\n- [ ] Eat\n\n| Fish | Minutes |\n| --- | --- |\n| Cod | 5 |'])
})

test('hostile markup stays text: entities are not expanded, scripts are left out, and any depth is read', async () => {
  const bomb = '<!DOCTYPE x [<!ENTITY a "aaaaaaaaaa"><!ENTITY b "&a;&a;&a;&a;">]><p>&b; end</p>'
  expect((await storageHtml('Bomb', bomb)).length).toBeLessThan(200)
  expect(await blocksOf('<p>before<script>alert(1)</script><style>p{}</style> after</p>')).toEqual(['before after'])
  const deep = `${macro('info', '').slice(0, -23)}<ac:rich-text-body>`.repeat(5_000)
  expect((await blocksOf(`${deep}<p>at the bottom</p>`)).join('\n')).toContain('at the bottom')
  expect(await blocksOf('<p>never closed <ac:link><ri:page ri:content-title="<script>"/>')).toEqual(['never closed <script>'])
})
