import { DatabaseSync } from 'node:sqlite'
import remarkParse from 'remark-parse'
import { unified } from 'unified'
import type { Library } from '../documentation.ts'

/** Rows of a full-text table of SQLite: the cheapest store that the same text can be found in. */
export type TextTable = {
  add(rows: Iterable<{ title: string; text: string }>): void
  /** The best rows for any word of a question. */
  find(question: string): unknown[]
  close(): void
}

export function textTable(path: string): TextTable {
  const db = new DatabaseSync(path)
  db.exec('PRAGMA journal_mode = WAL; PRAGMA synchronous = NORMAL')
  db.exec("CREATE VIRTUAL TABLE snippets USING fts5(title, text, tokenize = 'porter unicode61')")
  const insert = db.prepare('INSERT INTO snippets VALUES (?, ?)')
  const best = db.prepare('SELECT title, text FROM snippets WHERE snippets MATCH ? ORDER BY bm25(snippets) LIMIT 20')
  return {
    add(rows) {
      db.exec('BEGIN')
      for (const { title, text } of rows) insert.run(title, text)
      db.exec('COMMIT')
    },
    find(question) {
      const words = question.match(/[\p{L}\p{N}]+/gu) ?? []
      return words.length === 0 ? [] : best.all(words.map((word) => `"${word}"`).join(' OR '))
    },
    close: () => db.close(),
  }
}

/** The least that a parse must do: parses Markdown, cuts at headings, fills a text table. */
export function parseFloor({ files }: Library, path: string): void {
  const table = textTable(path)
  const reader = unified().use(remarkParse)
  for (const [name, text] of files) {
    if (/\.mdx?$/i.test(name)) reader.parse(text)
    table.add(
      text
        .split(/\n(?=#{1,4} )|\n\n(?=\S[^\n]*\n[=~^-]{4})|\n(?==+ )/)
        .map((part) => ({ title: part.split('\n', 1)[0] ?? '', text: part })),
    )
  }
  table.close()
}

type ExportedBody = { libraries: Record<'codeSnippets' | 'infoSnippets', { title: string; content?: string }[]>[] }

/** The least that an import must do: parses the body and fills a text table. */
export function importFloor(body: string, path: string): void {
  const { libraries } = JSON.parse(body) as ExportedBody
  const table = textTable(path)
  for (const { codeSnippets, infoSnippets } of libraries)
    table.add([...codeSnippets, ...infoSnippets].map(({ title, content = '' }) => ({ title, text: content })))
  table.close()
}
