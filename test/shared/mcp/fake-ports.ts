import type { McpPorts } from '../../../shared/mcp/mcp-handler.ts'
import { library } from '../search/shelf.ts'

export const hono = library('/honojs/hono', 'Hono', {
  description: 'Web framework built on Web Standards',
  totalSnippets: 812,
  trustScore: 9,
  benchmarkScore: 88.5,
  versions: ['v4.9.0', 'v4.10.0'],
})

/** Ports that find Hono and nothing else; what is given replaces theirs. */
export const fakePorts = (ports: Partial<McpPorts> = {}): McpPorts => ({
  version: '1.2.3',
  searchLibraries: async () => ({ results: [hono], searchFilterApplied: false }),
  contextText: async ({ libraryId, query }) => `About ${query} in ${libraryId}`,
  outlineText: async ({ libraryId, folder }) => `Pages of ${libraryId} in ${folder}`,
  pageText: async ({ libraryId, path }) => `${path} of ${libraryId}`,
  onAnswered: () => undefined,
  onTraceparent: () => undefined,
  onError: (error) => {
    throw error
  },
  ...ports,
})
