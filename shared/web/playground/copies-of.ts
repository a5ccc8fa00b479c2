import { allLibraries, defaultSetting, type Setting } from './playground-search.ts'

type Asked = { library: string; question: string }

/** A question as commands for a POSIX shell, and as a call of the MCP tool. */
export function copiesOf(server: string, { library, question }: Asked, { tokens, fast }: Setting): Record<string, string> {
  const isAll = library === allLibraries
  const query = new URLSearchParams({
    ...(!isAll && { libraryId: library }),
    query: question,
    tokens: String(tokens),
    ...(fast && { fast: 'true' }),
  })
  const named = isAll ? { query: question } : { libraryId: library, query: question }
  const call = { method: 'tools/call', params: { name: 'query-docs', arguments: named } }
  const length = tokens === defaultSetting.tokens ? [] : [`--tokens ${tokens}`]
  const isOption = question.startsWith('-') ? ['--'] : []
  return {
    curl: `curl ${quoted(`${server}/api/v2/${isAll ? 'search' : 'context'}?${query}`)}`,
    'MCP call': JSON.stringify({ jsonrpc: '2.0', id: 1, ...call }, null, 2),
    'carrel ask': [
      'carrel ask',
      ...length,
      ...(isAll ? ['--all'] : []),
      ...isOption,
      ...(isAll ? [] : [quoted(library)]),
      quoted(question),
    ].join(' '),
  }
}

/** Quotes any text as one word for a POSIX shell. */
const quoted = (text: string): string => `'${text.replaceAll("'", "'\\''")}'`
