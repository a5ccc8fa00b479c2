import { type EmbeddingProvider, embeddingAddress, type GetSetting } from '../settings/ai-address.ts'
import type { LocalModels } from './local/local-models.ts'

/** Where vectors come from. `waiting` is a model on this server that an admin has not approved: see the setting `embedding.approved`. */
export type EmbeddingChoice =
  | { state: 'active'; provider: EmbeddingProvider; model: string | undefined; baseUrl: string | undefined }
  | { state: 'waiting'; provider: 'local'; model: string }
  | { state: 'none' }

/** The provider that is set; by default that of the language model if it has embeddings, else a model on this server, else none. */
export function embeddingChoice({ get }: { get: GetSetting }, local: Pick<LocalModels, 'defaultEncoder'>): EmbeddingChoice {
  const { provider, baseUrl } = embeddingAddress(get)
  const model = get('embedding.model')
  const isAuto = get('embedding.provider') === 'auto'
  // It has embeddings if the settings name a model of it.
  const hasNone = provider === undefined || (provider === 'custom' && model === undefined)
  const encoder = isAuto && hasNone ? local.defaultEncoder() : undefined
  if (encoder !== undefined && !get('embedding.approved')) return { state: 'waiting', provider: 'local', model: encoder }
  if (encoder !== undefined) return { state: 'active', provider: 'local', model: encoder, baseUrl: undefined }
  return provider === undefined ? { state: 'none' } : { state: 'active', provider, model, baseUrl }
}

/** The sentence of `describeEmbedding`, and the reason why a model on this server is not used although none is set. */
export function describeDefault(
  { get }: { get: GetSetting },
  local: Pick<LocalModels, 'defaultEncoder' | 'skippedEncoders'>,
  cpuSeconds?: number,
): string {
  const choice = embeddingChoice({ get }, local)
  const isLocal = choice.state === 'none' || choice.provider === 'local'
  const skipped = isLocal && get('embedding.provider') === 'auto' ? local.skippedEncoders() : []
  return [describeEmbedding(choice, cpuSeconds), ...skipped].join(' ')
}

/** One sentence: which it is, and whether text leaves the server. `cpuSeconds` is the time for what the libraries have. */
export function describeEmbedding(choice: EmbeddingChoice, cpuSeconds?: number): string {
  if (choice.state === 'none') return 'Search works by words alone, and no text leaves this server for it.'
  if (choice.state === 'waiting')
    return `The model ${choice.model} can read your libraries on this server${cpuSeconds === undefined ? '' : `, which takes about ${minutes(cpuSeconds)} of processor time`}, and no text leaves it; set embedding.provider to auto to start.`
  if (choice.provider === 'local')
    return `The model ${choice.model ?? ''} reads snippets and questions on this server, and no text leaves it.`
  const where =
    choice.provider === 'custom' ? (choice.baseUrl ?? 'the address in embedding.baseUrl') : providerNames[choice.provider]
  return `Snippets and questions are sent to ${where}, which makes their vectors.`
}

const providerNames = { bedrock: 'Amazon Bedrock', openai: 'OpenAI', gemini: 'Gemini' }

function minutes(seconds: number): string {
  const count = Math.max(1, Math.round(seconds / 60))
  return count === 1 ? 'a minute' : `${count} minutes`
}
