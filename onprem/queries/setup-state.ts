import { z } from 'zod'
import type { AiRuntime } from '../../shared/ai/ai-runtime.ts'
import { describeDefault, embeddingChoice } from '../../shared/ai/embedding-choice.ts'
import { catalogueModel } from '../../shared/ai/local/catalogue.ts'
import { embeddingModelOf } from '../../shared/ai/models.ts'
import { llmAddress } from '../../shared/settings/ai-address.ts'
import { hasGitSecret } from '../../shared/settings/git-secrets.ts'
import type { SettingsStore } from '../../shared/store/settings-store.ts'
import type { UserStore } from '../accounts/user-store.ts'
import { type VisibleLibrariesPorts, visibleLibraries } from '../store/catalog/visible-libraries.ts'
import { type SetupStep, type SetupStore, setupSteps } from '../store/setup-store.ts'

const EmbeddingAnswer = z
  .object({
    state: z
      .enum(['active', 'waiting', 'none'])
      .describe('waiting: a model on this server could read the libraries, and an admin has not started it'),
    provider: z.string().nullable(),
    model: z.string().nullable(),
    leavesServer: z.boolean().describe('Whether text is sent to a provider for its vectors'),
    cpuSeconds: z
      .number()
      .optional()
      .describe(
        'Processor time for the snippets of all libraries, on one core of an old server; only if it is waiting and known',
      ),
    sentence: z.string().describe('The same in one sentence'),
  })
  .meta({ id: 'EmbeddingState' })

export const SetupAnswer = z
  .object({
    steps: z.array(
      z.object({
        name: z.enum(setupSteps),
        done: z.boolean(),
        skipped: z.boolean(),
        optional: z.boolean().describe('Whether an install does all of its work without it'),
      }),
    ),
    complete: z.boolean().describe('Whether the first two steps are done or skipped'),
    embedding: EmbeddingAnswer,
  })
  .meta({ id: 'Setup' })

export type SetupPorts = VisibleLibrariesPorts & {
  setup: Pick<SetupStore, 'skipped' | 'reached'>
  settings: Pick<SettingsStore, 'get' | 'describe'>
  users: Pick<UserStore, 'initial'>
  aiRuntime: Pick<AiRuntime, 'local'>
}

const neededSteps: readonly SetupStep[] = ['credentials', 'library']
const optionalSteps: readonly SetupStep[] = ['llm', 'embedding', 'git']

/** The steps of the first setup that are done. A step is done if its settings exist, also if they were made elsewhere. A library that could not be added is none. */
export function setupState(ports: SetupPorts): z.infer<typeof SetupAnswer> {
  const { setup, settings, users } = ports
  const embedding = embeddingState(ports)
  const shown = settings.describe()
  const done: Record<SetupStep, boolean> = {
    credentials: users.initial() === undefined,
    library: visibleLibraries(ports).some(({ state }) => state !== 'error'),
    ask: setup.reached('ask'),
    connect: setup.reached('connect'),
    llm: llmAddress(settings.get).provider !== undefined,
    embedding: embedding.state === 'active',
    git: hasGitSecret(shown),
  }
  const skipped = setup.skipped()
  const steps = setupSteps.map((name) => ({
    name,
    done: done[name],
    skipped: !done[name] && skipped.has(name),
    optional: optionalSteps.includes(name),
  }))
  const complete = steps.every((step) => !neededSteps.includes(step.name) || step.done || step.skipped)
  return { steps, complete, embedding }
}

/** Where vectors come from, and what a model that waits would cost. */
function embeddingState(ports: SetupPorts): z.infer<typeof EmbeddingAnswer> {
  const choice = embeddingChoice(ports.settings, ports.aiRuntime.local)
  const { state } = choice
  const cpuSeconds = state === 'waiting' ? cpuSecondsOf(ports, choice.model) : undefined
  const sentence = describeDefault(ports.settings, ports.aiRuntime.local, cpuSeconds)
  if (state === 'none') return { state, provider: null, model: null, leavesServer: false, sentence }
  return {
    state,
    provider: choice.provider,
    model: embeddingModelOf(choice.provider, choice.model) ?? null,
    leavesServer: choice.provider !== 'local',
    ...(cpuSeconds !== undefined && { cpuSeconds }),
    sentence,
  }
}

function cpuSecondsOf(ports: SetupPorts, model: string): number | undefined {
  const perThousand = catalogueModel(model)?.cpuSecondsPerThousand
  const snippets = visibleLibraries(ports).reduce((sum, { totalSnippets }) => sum + totalSnippets, 0)
  return perThousand === undefined ? undefined : (perThousand * snippets) / 1_000
}
