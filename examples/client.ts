// Finds a library and asks a question. Needs Node 22.18 or later, and no packages:
//   node examples/client.ts hono 'how do I read a cookie'
// CARREL_URL is the address of the server; CARREL_KEY is sent if it is set.

type Library = { id: string; title: string; description: string; exact?: false }
type CodeSnippet = { codeTitle: string; codeDescription: string; codeList: { language: string; code: string }[]; codeId: string }
type InfoSnippet = { breadcrumb: string; content: string; pageId: string }
type Context = { codeSnippets: CodeSnippet[]; infoSnippets: InfoSnippet[] }

const url = process.env.CARREL_URL ?? 'http://127.0.0.1:3000'
const key = process.env.CARREL_KEY

async function get<Answer>(path: string, query: Record<string, string>): Promise<Answer> {
  const headers: Record<string, string> = key ? { authorization: `Bearer ${key}` } : {}
  const response = await fetch(`${url}${path}?${new URLSearchParams(query)}`, { headers })
  const body = (await response.json()) as Answer & { error?: string; message?: string }
  if (!response.ok) throw new Error(`${body.error}: ${body.message}`)
  return body
}

const searchLibraries = (libraryName: string, query: string) =>
  get<{ results: Library[] }>('/api/v2/libs/search', { libraryName, query })
const askLibrary = (libraryId: string, query: string) => get<Context>('/api/v2/context', { libraryId, query, type: 'json' })

const [name = 'hono', question = 'how do I read a cookie'] = process.argv.slice(2)
const { results } = await searchLibraries(name, question)
const [library] = results
if (!library || library.exact === false) throw new Error(`No library is called ${name}.`)
console.log(`${library.title} (${library.id}): ${library.description}`)

const { codeSnippets, infoSnippets } = await askLibrary(library.id, question)
for (const { codeTitle, codeList, codeId } of codeSnippets) {
  console.log(`\n## ${codeTitle}\n${codeId}`)
  for (const { code } of codeList) console.log(code)
}
for (const { breadcrumb, content, pageId } of infoSnippets) console.log(`\n## ${breadcrumb}\n${pageId}\n${content}`)
