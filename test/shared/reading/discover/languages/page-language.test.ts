import { expect, test } from 'vitest'
import { mainLanguage } from '../../../../../shared/indexing/pages/index-report.ts'
import { pageLanguage } from '../../../../../shared/reading/discover/languages/page-language.ts'

const german =
  'Der Router ordnet eine Anfrage nach ihrer Methode und ihrem Pfad zu und ruft den dafür eingetragenen Handler auf. Middleware läuft davor.'
const names =
  'npm version, build status, coverage, dependencies, license, downloads, travis image url, codecov image url, actions image url, gittip image, david image, npm image'

test.each([
  ['deu', german],
  ['deu', `${german} [Mehr](https://example.com/the/english/path/of/a/page/that/is/long) \`the code is in English as always\``],
  ['eng', names],
  [undefined, 'Der Router ordnet zu.'],
  [undefined, `${'1 + 2 = 3; '.repeat(50)}`],
  [undefined, ''],
])('the language of a page is %s: %s', (code, prose) => {
  expect(pageLanguage([{ prose }])?.code).toBe(code)
})

test('a megabyte of prose costs no more than its beginning', () => {
  expect(pageLanguage([{ prose: german.repeat(10_000) }])).toEqual({ code: 'deu', chars: expect.closeTo(500, -2) })
})

test('the language of most of the prose decides, and equal shares always decide alike', () => {
  const of = (...pages: [string, number][]) => {
    const main = mainLanguage()
    for (const [code, chars] of pages) main.add({ code, chars })
    main.add(undefined)
    return main.name()
  }
  expect(of(['eng', 300], ['cmn', 200], ['cmn', 200])).toBe('Chinese')
  expect(of(['fra', 300], ['deu', 300])).toBe(of(['deu', 300], ['fra', 300]))
  expect(of(['zlm', 300])).toBe('Malay')
  expect(of()).toBeUndefined()
})
