import type { AiRuntime } from './ai-runtime.ts'
import { type AiSettings, embeddingConfig, type LocalConfig } from './model-config.ts'

type ProviderModel = Exclude<NonNullable<ReturnType<typeof embeddingConfig>>, LocalConfig>
/** `version` identifies the content of the model's folder. */
type LocalModel = LocalConfig & { version: string }

/** The embedding model that the settings select. `weight` is that of `VectorSearch`, if it is set. */
export type EmbedderConfig = (ProviderModel | LocalModel) & {
  requestedDimensions: number | undefined
  weight: number | undefined
}

/** Returns undefined if no provider is set. Throws as `embeddingConfig` does. */
export function embedderConfig(settings: AiSettings, { local }: Pick<AiRuntime, 'local'>): EmbedderConfig | undefined {
  const config = embeddingConfig(settings, local)
  const set = { requestedDimensions: settings.get('embedding.dimensions'), weight: weightOf(settings) }
  if (config?.provider !== 'local') return config && { ...config, ...set }
  return { ...config, version: local.versionOf(config.model, 'embedding'), ...set }
}

function weightOf(settings: AiSettings): number | undefined {
  const percent = settings.get('embedding.weight')
  return percent === undefined ? undefined : percent / 100
}

/** The name of the vector space of a model: provider, address or version, model and requested dimensions. */
export const vectorSpaceName = (config: EmbedderConfig): string =>
  [spacePrefix(config), config.model, ...(config.requestedDimensions === undefined ? [] : [config.requestedDimensions])].join(' ')

const spacePrefix = (config: EmbedderConfig): string =>
  `${config.provider} ${config.provider === 'local' ? config.version : config.baseUrl}`

/** The config of another model of the same provider, by the name of its vector space. It uses the same address and key. */
export function earlierConfig(current: EmbedderConfig, space: string): EmbedderConfig | undefined {
  if (current.provider === 'local') return earlierLocalConfig(space, current.weight)
  const prefix = `${spacePrefix(current)} `
  if (!space.startsWith(prefix)) return undefined
  return { ...current, ...modelIn(space.slice(prefix.length)) }
}

/** Another folder, or an earlier content of the folder: using that throws. */
function earlierLocalConfig(space: string, weight: number | undefined): EmbedderConfig | undefined {
  const [, version, rest = ''] = /^local (\S+) (.*)$/.exec(space) ?? []
  return version === undefined ? undefined : { provider: 'local', version, weight, ...modelIn(rest) }
}

function modelIn(text: string): Pick<EmbedderConfig, 'model' | 'requestedDimensions'> {
  const [, model = '', dimensions] = /^(.*?)(?: (\d+))?$/s.exec(text) ?? []
  return { model, requestedDimensions: dimensions === undefined ? undefined : Number(dimensions) }
}
