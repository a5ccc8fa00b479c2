import { globSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, test } from 'vitest'

const root = new URL('../..', import.meta.url).pathname
const code = ['onprem', 'functions', 'shared'].flatMap((folder) =>
  globSync(`${folder}/**/*.{ts,tsx,yaml}`, { cwd: root, exclude: (name) => /(?:^|\/)(?:dist|node_modules)$/.test(name) }),
)
const texts = globSync(['*.md', 'docs/*.md', 'examples/*.{md,sh}'], { cwd: root })

/** People add and refresh a library. To parse is what a program does to the syntax of a file, and the API's name of a job. */
const otherWords = [
  /\bre-?pars(?:e|es|ed|ing)\b/i,
  /\bparsed? (?:it |them )?again\b/i,
  /\bparse (?:it|them)\b/i,
  /\bpars(?:e|es|ing) (?:its |the |a |an |another |this |that )?(?:\w+ )?(?:library|libraries|repository|repositories|documentation)\b/i,
  /\bbeing parsed\b/i,
  /\bparsed here\b/i,
  /\bpublic repositories can be parsed\b/i,
  /\b(?:an?|the|each|every|first|last|next|forced|anonymous) parse\b(?! error| queue|',)/i,
  /\bparses\b (?:and|or) (?:imports|refreshes)\b/i,
  /\bparse with\b/i,
  /\bparse failed\b/i,
  /\bto parse (?:it|them) again\b/i,
  /\bindex(?:ed)? (?:it|them) again\b/i,
]

/** Comments may use the words of the code. */
const isComment = (line: string) => /^\s*(?:\/\/|\/?\*)/.test(line)

function readLines(file: string): string[] {
  const lines = readFileSync(join(root, file), 'utf8').split('\n')
  return file.endsWith('.md') ? lines : lines.map((line) => (isComment(line) ? '' : line.replace(/\s\/\/ .*$/, '')))
}

test('texts for people say add and refresh, and use no other words for them', () => {
  expect(code.length + texts.length).toBeGreaterThan(500)
  const found = [...code, ...texts].flatMap((file) =>
    readLines(file).flatMap((line, i) =>
      otherWords.some((word) => word.test(line)) ? [`${file}:${i + 1}: ${line.trim()}`] : [],
    ),
  )
  expect(found).toEqual([])
})
