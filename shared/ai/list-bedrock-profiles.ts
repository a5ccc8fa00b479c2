import type { BedrockRuntimeClient } from '@aws-sdk/client-bedrock-runtime'
import { z } from 'zod'
import type { BedrockAddress } from './bedrock-client.ts'

const Profiles = z.object({
  inferenceProfileSummaries: z.array(z.object({ inferenceProfileId: z.string().regex(/^[\w.:-]{1,200}$/) })).max(1_000),
})
type Request = { method: string; hostname: string; path: string; query: Record<string, string>; headers: object; body: unknown }
const timeoutMs = 10_000

/**
 * The ids of the inference profiles that AWS offers the account in its region, models of Claude first. Bedrock lists them at another host,
 * `bedrock.` instead of `bedrock-runtime.`, with the same form of signature, so the client of the runtime sends the request. Throws if
 * they cannot be listed.
 */
export async function listBedrockProfiles(bedrock: BedrockRuntimeClient, { baseUrl }: BedrockAddress): Promise<string[]> {
  const { InvokeModelCommand } = await import('@aws-sdk/client-bedrock-runtime')
  const command = new InvokeModelCommand({ modelId: 'none' })
  const hostname = new URL(baseUrl).hostname.replace(/\bbedrock-runtime\b/, 'bedrock')
  const listing = {
    method: 'GET',
    hostname,
    path: '/inference-profiles',
    query: { maxResults: '1000' },
    headers: {},
    body: undefined,
  }
  command.middlewareStack.add(
    (next) => (args) => {
      Object.assign(args.request as Request, listing)
      return next(args)
    },
    { step: 'build', priority: 'high' },
  )
  const { body } = await bedrock.send(command, { abortSignal: AbortSignal.timeout(timeoutMs) })
  const { inferenceProfileSummaries } = Profiles.parse(JSON.parse(new TextDecoder().decode(body)))
  const ids = inferenceProfileSummaries.map(({ inferenceProfileId }) => inferenceProfileId).sort()
  const isClaude = (id: string) => id.includes('anthropic.')
  return [...ids.filter(isClaude), ...ids.filter((id) => !isClaude(id))]
}
