import type { Ai } from '../../ai/ai.ts'
import type { LocalModels } from '../../ai/local/local-models.ts'
import type { AiSettings } from '../../ai/model-config.ts'
import { llmReranker } from './llm-reranker.ts'
import { localReranker } from './local-reranker.ts'
import type { Reranker } from './rerank.ts'

type ConfiguredRerankerPorts = { settings: Pick<AiSettings, 'get'>; ai: Pick<Ai, 'llm'>; local: LocalModels }

/** The model that the settings select for reranking, read at each use. Undefined if none is set. */
export function configuredReranker({ settings, ai, local }: ConfiguredRerankerPorts): Reranker | undefined {
  if (settings.get('llm.rerank') === 'local') {
    const name = settings.get('llm.rerankModel')
    return name === undefined ? undefined : localReranker(name, local)
  }
  const llm = ai.llm()
  return llm && llmReranker(llm)
}
