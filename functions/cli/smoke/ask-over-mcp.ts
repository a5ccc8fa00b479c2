import { AppError } from '../../../shared/errors.ts'

type Asked = { baseUrl: string; key: string; library: string; question: string }

/** Asks the library as an MCP client does, and returns the text of the answer. */
export async function askOverMcp({ baseUrl, key, library, question }: Asked, signal: AbortSignal): Promise<string> {
  const { Client, StreamableHTTPClientTransport } = await import('@modelcontextprotocol/client')
  const client = new Client({ name: 'carrel-smoke', version: '1' })
  const requestInit = { headers: { authorization: `Bearer ${key}` }, redirect: 'error' as const, signal }
  try {
    await client.connect(new StreamableHTTPClientTransport(new URL(`${baseUrl}/mcp`), { requestInit }))
    const { content, isError } = await client.callTool({
      name: 'query-docs',
      arguments: { libraryId: library, query: question || library },
    })
    const text = content.map((part) => (part.type === 'text' ? part.text : '')).join('\n')
    if (isError) throw new AppError('command_failed', text)
    return text
  } finally {
    await client.close().catch(() => undefined)
  }
}
