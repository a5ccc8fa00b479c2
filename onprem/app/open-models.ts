import { join } from 'node:path'
import type { Ai } from '../../shared/ai/ai.ts'
import { type AiRuntime, aiRuntime } from '../../shared/ai/ai-runtime.ts'
import type { Log } from '../../shared/log.ts'
import type { ConfiguredModels } from '../../shared/search/get-context.ts'
import { type EmbedQuestion, questionEmbedder } from '../../shared/search/question/embed-question.ts'
import { configuredReranker } from '../../shared/search/reranking/configured-reranker.ts'
import { type Rerank, readReranker, rerankWith } from '../../shared/search/reranking/rerank.ts'
import type { SettingsStore } from '../../shared/store/settings-store.ts'
import { runtimeDirOf } from '../models/fetch-runtime.ts'
import type { Instruments } from '../monitoring/instruments.ts'
import { measureAi } from '../monitoring/measure-ai.ts'
import { modelFailures } from '../support/model-failures.ts'
import type { EdgePorts } from './edge-ports.ts'

export type ModelPorts = {
  ai: Ai
  /** Access to model providers, for testing settings that are not stored. */
  aiRuntime: AiRuntime
  embedQuestion: EmbedQuestion
  rerank: Rerank
  configured: ConfiguredModels
}

type Input = Pick<EdgePorts, 'openAi' | 'openLocalModels' | 'limits'> & {
  network: Parameters<typeof aiRuntime>[0]
  dataDir: string
  settings: SettingsStore
  instruments: Instruments
  log: Log
  /** Aborts when the server stops. */
  stopping: AbortSignal
}

/** Opens the models that the settings name at each use. */
export function openModels({
  openAi,
  openLocalModels,
  limits,
  network,
  dataDir,
  settings,
  instruments,
  log,
  stopping,
}: Input): ModelPorts {
  const local = openLocalModels({ modelsDir: join(dataDir, 'models'), runtimeDir: runtimeDirOf(dataDir), stopping })
  const runtime = aiRuntime(network, local)
  const ai = measureAi(openAi(settings, runtime), settings, instruments)
  const reranker = () => configuredReranker({ settings, ai, local })
  return {
    ai,
    aiRuntime: runtime,
    embedQuestion: questionEmbedder({
      embedderFor: ai.embedderFor,
      onFailure: modelFailures(log).embedding,
      maxMs: limits.embedQuestionMs,
    }),
    rerank: rerankWith({
      reranker,
      onFailure: modelFailures(log).reranking,
      maxMs: limits.rerankMs,
    }),
    configured: {
      embeds: (space) => ai.embedderFor(space) !== undefined,
      // Reranking reports what fails.
      reranks: () => readReranker(reranker, () => undefined) !== undefined,
    },
  }
}
