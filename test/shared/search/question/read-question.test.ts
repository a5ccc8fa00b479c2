import { describe, expect, test } from 'vitest'
import { readQuestion } from '../../../../shared/search/question/read-question.ts'
import { packStatistics } from '../../../../shared/search/statistics/pack-statistics.ts'
import { readStatistics } from '../../../../shared/search/statistics/statistics.ts'
import { statisticsBuilder } from '../../../../shared/search/statistics/statistics-builder.ts'
import { analyse } from '../../../../shared/search/words/analyse.ts'
import { pageCounts } from '../../../fixtures/page-counts.ts'

function libraryOf(text: string) {
  const words = new Set<string>()
  const terms = new Set(analyse(text, words))
  const builder = statisticsBuilder()
  builder.add(
    pageCounts(
      [...terms].map((term) => [term, 1, 1]),
      { words: [...words].map((word) => [word, 1]) },
    ),
  )
  return readStatistics(packStatistics(builder.total()))
}

const library = libraryOf('cookie middleware routing parseBody validators rate limit database how the')
const terms = (question: string) =>
  readQuestion(question, library).concepts.map((concept) => concept.map(({ term, weight }) => `${term} ${weight}`))

describe('a question', () => {
  test('means its content words, not its function words', () => {
    expect(terms('how do I use the cookie middleware?')).toEqual([['cooki 1'], ['middlewar 1']])
  })

  test('keeps its function words if it has no others', () => {
    expect(terms('how the')).toEqual([['how 1'], ['the 1']])
  })

  test('finds an identifier by its parts and as a whole', () => {
    expect(terms('parse_body')).toEqual([['pars 1'], ['bodi 1'], ['parsebodi 1']])
  })

  test('is read by a model without its spelling errors, and otherwise as it was asked', () => {
    const repaired = (question: string) => readQuestion(question, library).repaired
    expect(repaired("Why can't a midleware parse_body the Cokie?")).toBe("Why can't a middleware parse_body the cookie?")
    expect(repaired('Pydantic v2: serialise?')).toBe('Pydantic v2: serialise?')
    expect(readQuestion('cookie', library).english).toBeUndefined()
  })

  test('is read by a model as English words of the library if it is in another language', () => {
    const english = libraryOf('users database databases loading implement implementation service')
    const question = 'Benutzer aus eigener Datenbank laden, wie implementiere ich den Dienst dafür'
    const { repaired, english: words } = readQuestion(question, english)
    expect(words?.split(' ')).toEqual(expect.arrayContaining(['users', 'service']))
    expect(repaired).toBe(question)
  })

  test('means the closest word of the library for a misspelt word', () => {
    expect(terms('midleware')).toEqual([['middlewar 0.9']])
    expect(terms('vaildators')).toEqual([['valid 0.9']])
  })

  test('omits a word that resembles no word of the library', () => {
    expect(terms('quantum cookie')).toEqual([['cooki 1']])
  })

  test('does not correct a word that other documentation contains', () => {
    const other = libraryOf('step shop')
    expect(readQuestion('stop', other).concepts).toEqual([])
    expect(readQuestion('stpe', other).concepts.flat()).toContainEqual({ term: 'step', weight: 0.9 })
  })

  test('means no letter of a contraction', () => {
    const letters = libraryOf('t s re cookie')
    expect(readQuestion("why can't it's cookie", letters).concepts).toEqual([[{ term: 'cooki', weight: 1 }]])
  })

  test('means nothing if it is about things that the library does not contain', () => {
    expect(terms('zzzz qqqq')).toEqual([])
  })

  test('means at most 64 concepts, however long it is', () => {
    const many = libraryOf(Array.from({ length: 200 }, (_, i) => `word${String.fromCharCode(97 + (i % 26))}${i}`).join(' '))
    const question = Array.from({ length: 200 }, (_, i) => `word${String.fromCharCode(97 + (i % 26))}${i}`).join(' ')
    expect(readQuestion(question, many).concepts.length).toBe(64)
  })
})

describe('a question in another language', () => {
  const english = libraryOf(
    'environment variables open file default value query parameter component test error proxy API the for if',
  )
  const asked = (question: string, of = english) => readQuestion(question, of).concepts.map(([best]) => best?.term)

  test.each([
    ['Spanish', 'cómo definir valores por defecto para los parámetros', ['valu', 'default', 'paramet']],
    ['Portuguese', 'como testar os componentes com um arquivo', ['test', 'compon', 'file']],
    ['French', "comment lire les variables d'environnement dans le code", ['variabl', 'environ']],
    ['German', 'wie kann ich eine Datei mit dem Proxy und der API lesen', ['file', 'proxi', 'api']],
    ['Russian', 'как открыть файл', ['open', 'file']],
    ['Chinese', '默认值是什么', ['default', 'valu']],
    ['Japanese', '環境変数を設定する', ['environ', 'variabl']],
    ['Korean', '환경 변수의 기본값', ['environ', 'variabl', 'default']],
    ['Polish', 'jak ustawić wartość domyślną parametru w pliku', ['default', 'paramet', 'file']],
    ['Turkish', 'bir dosya nasıl açılır ve değişken için hata', ['file', 'variabl', 'error']],
    ['Italian', 'come impostare il valore predefinito di un parametro nel codice', ['default', 'valu', 'paramet']],
  ])('is searched for with English words: %s', (_, question, terms) => {
    expect(asked(question)).toEqual(expect.arrayContaining(terms))
  })

  test('keeps identifiers, and code that looks like English function words', () => {
    expect(asked('ошибка for if API')).toEqual(['error', 'for', 'if', 'api'])
  })

  test('does not search for articles that a library has in names', () => {
    const library = libraryOf('open file default value parameter Camino de la Costa El Paso')
    expect(asked('cómo abrir el archivo y la función del parámetro', library)).toEqual(['open', 'file', 'paramet'])
  })

  test('finds the form of a word by its beginning', () => {
    expect(asked('Переменными окружения')).toContain('variabl')
  })

  test('finds the parts of a compound', () => {
    const servers = libraryOf('development server file')
    expect(asked('wie starte ich den Entwicklungsserver ohne eine Datei', servers)).toEqual(['develop', 'server', 'file'])
  })

  test.each([
    ['Turkish', 'ortam değişkenlerini nasıl okurum'],
    ['French', 'définir une variable'],
  ])('is recognized by few words and by their forms, if it has accents: %s', (_, question) => {
    expect(asked(question)).toContain('variabl')
  })

  test('is not recognized by forms without accents', () => {
    const [misspelt] = readQuestion('variabel componentes parametro', english).concepts
    expect(misspelt?.[0]).toEqual({ term: 'variabl', weight: 0.9 })
  })

  test('is not translated if the library is written in that language', () => {
    const spanish = libraryOf('Cómo definir los valores por defecto para los parámetros')
    expect(asked('cómo definir valores por defecto para los parámetros', spanish)).toContain('parametro')
  })

  test('is not assumed if the question is English', () => {
    expect(asked('how do I use the defualt value for variabels in a component')).toEqual(['default', 'valu', 'variabl', 'compon'])
  })
})
