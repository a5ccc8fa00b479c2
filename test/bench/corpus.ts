import { randomFrom } from './random.ts'

/**
 * Generated Markdown like that of software documentation: words by Zipf's law, sections, lists and code in the proportions of real
 * documentation. The same seed gives the same text.
 */
export function makeCorpus({
  files,
  bytesPerFile,
  seed,
}: {
  files: number
  bytesPerFile: number
  seed: number
}): Map<string, string> {
  const random = randomFrom(seed)
  const vocabulary = makeVocabulary(random)
  const { words } = vocabulary
  const corpus = new Map<string, string>()
  for (let i = 0; i < files; i++) {
    const folder = words[Math.floor(random() * 40)]
    corpus.set(
      `docs/${folder}/${words[100 + Math.floor(random() * 2000)]}-${i}.md`,
      page(random, vocabulary, bytesPerFile * (0.4 + 1.2 * random())),
    )
  }
  return corpus
}

/** Questions with the words of such a corpus. */
export function makeQuestions(count: number, seed: number): string[] {
  const random = randomFrom(seed)
  const { words } = makeVocabulary(randomFrom(1))
  return Array.from(
    { length: count },
    () => `how do I ${Array.from({ length: 3 + Math.floor(random() * 5) }, () => words[zipf(random, words.length)]).join(' ')}`,
  )
}

function page(random: () => number, { words, identifiers }: Vocabulary, bytes: number): string {
  const some = (min: number, max: number) =>
    Array.from({ length: min + Math.floor(random() * (max - min)) }, () => words[zipf(random, words.length)]).join(' ')
  const sentence = () => {
    const text = some(6, 22)
    return `${text.charAt(0).toUpperCase()}${text.slice(1)}.`
  }
  const name = () => identifiers[zipf(random, identifiers.length)]
  const paragraph = () => Array.from({ length: 1 + Math.floor(random() * 4) }, sentence).join(' ')
  const code = () => {
    const lines = Array.from(
      { length: 3 + Math.floor(random() * 12) },
      () => `  const ${name()} = await ${name()}.${name()}({ ${name()}: '${some(1, 3)}' })`,
    )
    return `\`\`\`ts\nexport async function ${name()}() {\n${lines.join('\n')}\n}\n\`\`\``
  }
  const list = () => Array.from({ length: 2 + Math.floor(random() * 5) }, () => `- \`${name()}\`: ${some(4, 14)}`).join('\n')
  const parts = [`# ${some(2, 5)}`, paragraph()]
  for (let length = 0; length < bytes; ) {
    const section = [
      `${random() < 0.6 ? '##' : '###'} ${some(1, 5)}`,
      paragraph(),
      ...(random() < 0.6 ? [code()] : []),
      ...(random() < 0.4 ? [list()] : []),
      paragraph(),
    ]
    length += section.join('\n\n').length
    parts.push(...section)
  }
  return `${parts.join('\n\n')}\n`
}

type Vocabulary = { words: string[]; identifiers: string[] }

/** A vocabulary with as many different words as real manuals of this length have. */
function makeVocabulary(random: () => number): Vocabulary {
  const syllables =
    'con fig re quest han dler str eam par se val id ate mod el sch ema rout er mid dle ware cach e tok en ses sion in dex que ry tab le col umn lay out hook stat us err or log in put out build test'.split(
      ' ',
    )
  const words = new Set<string>()
  while (words.size < 8000)
    words.add(
      Array.from({ length: 2 + Math.floor(random() * 3) }, () => syllables[Math.floor(random() * syllables.length)]).join(''),
    )
  const list = [...words]
  const identifiers = Array.from({ length: 3000 }, () => {
    const [first = '', second = ''] = [list[zipf(random, list.length)], list[zipf(random, list.length)]]
    return `${first}${second.charAt(0).toUpperCase()}${second.slice(1)}`
  })
  return { words: list, identifiers }
}

const zipf = (random: () => number, size: number): number => Math.min(size - 1, Math.floor(size ** random()) - 1)
