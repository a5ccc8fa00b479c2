import { type AiSettings, embeddingConfig } from './model-config.ts'

/** The embedding model that the settings select. */
export type EmbedderConfig = NonNullable<ReturnType<typeof embeddingConfig>> & { requestedDimensions: number | undefined }

/** Undefined if no provider is set. Throws as `embeddingConfig` does. */
export function embedderConfig(settings: AiSettings): EmbedderConfig | undefined {
  const config = embeddingConfig(settings)
  return config && { ...config, requestedDimensions: settings.get('embedding.dimensions') }
}

/** The name of the vector space of a model: provider, address, model and requested dimensions. */
export const vectorSpaceName = ({
  provider,
  baseUrl,
  model,
  requestedDimensions,
}: Pick<EmbedderConfig, 'provider' | 'baseUrl' | 'model' | 'requestedDimensions'>): string =>
  [provider, baseUrl, model, ...(requestedDimensions === undefined ? [] : [requestedDimensions])].join(' ')

/** The config of another model of the same provider, by the name of its vector space. It uses the same address and key. */
export function earlierConfig(current: EmbedderConfig, space: string): EmbedderConfig | undefined {
  const prefix = vectorSpaceName({ ...current, model: '', requestedDimensions: undefined })
  if (!space.startsWith(prefix)) return undefined
  const [, model = '', dimensions] = /^(.*?)(?: (\d+))?$/s.exec(space.slice(prefix.length)) ?? []
  return { ...current, model, requestedDimensions: dimensions === undefined ? undefined : Number(dimensions) }
}
