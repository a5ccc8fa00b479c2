import { spawnSync } from 'node:child_process'
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { buildLexicon } from '../../../tools/ranking-data/lexicon/build-lexicon.ts'
import { tempDir } from '../../fixtures/temp-dir.ts'
import { writeTree } from '../../fixtures/write-tree.ts'

const script = new URL('../../../tools/ranking-data/build-lexicon.ts', import.meta.url).pathname
const vocabulary = { words: ['file', 'open', 'close', 'server', 'start', 'stop', 'read', 'contribut', 'error', 'kei'] }

function folderWith(files: Record<string, string>): string {
  const folder = tempDir()
  writeTree(folder, { 'model.json': JSON.stringify(vocabulary), ...files })
  return folder
}

type Options = { catalogues?: string[]; manual?: string[]; extend?: string }

/** The lexicon that is built in a folder, and what is reported. `FOLDER` in options is its path. */
function build(folder: string, { catalogues = [], manual = [], extend }: Options) {
  const inFolder = (value: string) => value.replaceAll('FOLDER', folder)
  const out = join(folder, 'lexicon.json')
  const reports: string[] = []
  buildLexicon(
    {
      catalogues: catalogues.map(inFolder),
      manual: manual.map(inFolder),
      vocabulary: join(folder, 'model.json'),
      ...(extend && { extend: inFolder(extend) }),
      out,
    },
    (line) => reports.push(line),
  )
  const written = readFileSync(out, 'utf8')
  return { written, lexicon: JSON.parse(written), reports }
}

const catalogue = (language: string, messages: [string, string, flag?: string][]) =>
  [
    `msgid ""\nmsgstr ""\n"Language: ${language}\\n"\n"Content-Type: text/plain; charset=UTF-8\\n"\n`,
    ...messages.map(([id, text, flag]) => `${flag ? `#, ${flag}\n` : ''}msgid "${id}"\nmsgstr "${text}"\n`),
  ].join('\n')

/** Each verb with each noun, twice as many sentences as a word needs. */
const spanish: [string, string][] = [
  ['Open the file now', 'Abre el archivo ahora'],
  ['Close the file now', 'Cierra el archivo ahora'],
  ['Open the server now', 'Abre el servidor ahora'],
  ['Close the server now', 'Cierra el servidor ahora'],
  ['Read the file with :func:`open`', 'Lee el archivo con :func:`open`'],
  ['Read the server file', 'Lee el archivo del servidor'],
  ['A server error', 'Un error del servidor'],
  ['Contributed by Ada Quux', 'Contribuido por Ada Quux'],
  ['A file contributed by Ada Quux', 'Un archivo contribuido por Ada Quux'],
]

const spanishCatalogues = () => ({
  'es/library/io.po': catalogue('es', spanish),
  'es/howto/files.po': catalogue(
    'es',
    spanish.map(([id, text]) => [`${id}.`, `${text}.`]),
  ),
  'es/library/broken.po': 'msgid "Open"\nmsgstr Abre"\n',
  'es/library/german.po': catalogue('de', [['The server', 'Der Server']]),
})

const spanishOnly = { catalogues: ['es=FOLDER/es'] }

test('the build finds the English words of a language in its catalogues, the same ones each time', () => {
  const folder = folderWith(spanishCatalogues())
  const { written, lexicon } = build(folder, spanishOnly)
  expect(lexicon.es.words).toMatchObject({
    archivo: [['file', 1]],
    servidor: [['server', 1]],
    abre: [['open', 1]],
    cierra: [['close', 1]],
  })
  expect(lexicon.es.frequent).toEqual(expect.arrayContaining(['el', 'archivo', 'servidor']))
  expect(build(folder, spanishOnly).written).toBe(written)
})

test('the build omits proper names, and words that mean themselves', () => {
  const { words, frequent } = build(folderWith(spanishCatalogues()), spanishOnly).lexicon.es
  expect(words).toHaveProperty('contribuido')
  for (const word of ['ada', 'quux', 'error']) expect(words).not.toHaveProperty(word)
  for (const word of ['ada', 'quux']) expect(frequent).not.toContain(word)
})

test('the build names a broken catalogue and one in another language, and uses the others', () => {
  const { reports } = build(folderWith(spanishCatalogues()), spanishOnly)
  expect(reports).toEqual([
    expect.stringMatching(/broken\.po: skipped, it is not a valid catalogue/),
    expect.stringMatching(/german\.po: skipped, its language is de, not es/),
    expect.stringMatching(/^es: \d+ words from 18 sentence pairs/),
  ])
})

test('the build does not use a translation that nobody has checked', () => {
  const fuzzy = spanish.map(([id, text]): [string, string, string] => [id, text, 'fuzzy'])
  const folder = folderWith({ 'es/a.po': catalogue('es', fuzzy) })
  expect(() => build(folder, spanishOnly)).toThrow(/No catalogue in .* has a finished translation to es/)
})

const page = (blocks: string[]) =>
  `<refentry xmlns="http://docbook.org/ns/docbook">${blocks.map((each) => `<para>${each}</para>`).join('\n')}</refentry>`

test('the build finds words in the parallel pages of a manual, and keeps the other languages of a lexicon', () => {
  const english = ['Open the &array; file', 'Close the file', 'Open the <function>key</function> server', 'Close the server']
  const german = [
    'Öffne die &array; Datei',
    'Schließe die Datei',
    'Öffne den <function>key</function> Server',
    'Schließe den Server',
  ]
  const spanishOnly = { es: { words: { archivo: [['file', 1]] }, frequent: ['el'] } }
  const folder = folderWith({
    'en/a/one.xml': page(english),
    'de/a/one.xml': page(german),
    'en/b/two.xml': page([...english, 'Read the file']),
    'de/b/two.xml': page([...german].reverse()),
    'en/d/four.xml': page(english.map((each) => `${each}!`)),
    'de/d/four.xml': page(german.map((each) => `${each}!`)),
    'en/c/three.xml': page(english.map((each) => `${each}.`)),
    'de/c/three.xml': page(german.map((each) => `${each}.`)),
    'old.json': JSON.stringify(spanishOnly),
  })
  const { lexicon, reports } = build(folder, { manual: ['de=FOLDER/en,FOLDER/de'], extend: 'FOLDER/old.json' })
  expect(Object.keys(lexicon)).toEqual(['de', 'es'])
  expect(lexicon).toMatchObject(spanishOnly)
  expect(lexicon.de.words).toMatchObject({ datei: [['file', 0.9]], offne: [['open', 1]], schließe: [['close', 1]] })
  expect(lexicon.de.words).not.toHaveProperty('key')
  expect(reports[0]).toMatch(/de: 1 of 4 pages skipped, their blocks are not those of the English page/)
})

test('the build contains pairs of characters for Korean, and no English word of its texts', () => {
  const korean: [string, string][] = [
    ['Open the file', '파일을 열기'],
    ['Close the file', '파일을 닫기'],
    ['Read the file, contributed by Ada', '파일을 읽기 contributed by'],
    ['Start the server, contributed by Ada', '서버를 시작 contributed by'],
    ['Stop the server, contributed by Ada', '서버를 정지 contributed by'],
  ]
  const messages = ['', '.', '!', '?'].flatMap((end) => korean.map(([id, text]): [string, string] => [id + end, text + end]))
  const folder = folderWith({ 'ko/a.po': catalogue('ko', messages), 'ko/b.po': catalogue('ko', [['A file.', '파일.']]) })
  const { words, frequent } = build(folder, { catalogues: ['ko=FOLDER/ko'] }).lexicon.ko
  expect(words).toMatchObject({ 파일: [['file', expect.any(Number)]], 닫기: [['close', expect.any(Number)]] })
  expect(words).not.toHaveProperty('contributed')
  expect(frequent).not.toContain('contributed')
})

test.each<[string, Options, RegExp]>([
  ['a missing folder', { catalogues: ['es=missing'] }, /missing is not a folder/],
  ['a folder without catalogues', { catalogues: ['es=FOLDER/empty'] }, /has no catalogues \(\*\.po\)\. Check out the branch/],
  ['pages that are not parallel', { manual: ['de=FOLDER/one,FOLDER/empty'] }, /no page \(\*\.xml\) with the same path/],
  ['a source without a language', { catalogues: ['FOLDER'] }, /--catalogues must be LANGUAGE=FOLDER/],
  ['no source', {}, /Name at least one source/],
])('the build rejects %s', (_, options, message) => {
  const folder = folderWith({ 'empty/README.md': '# Moved', 'one/a.xml': page(['Open']) })
  expect(() => build(folder, options)).toThrow(message)
})

test('the command exits with 2 and names the file that it cannot read', () => {
  const { status, stderr } = spawnSync(process.execPath, [script, '--vocabulary', 'missing.json', '--out', 'unused'], {
    encoding: 'utf8',
  })
  expect({ status, stderr }).toEqual({ status: 2, stderr: expect.stringMatching(/--vocabulary: missing\.json cannot be read/) })
})
