import { z } from 'zod'
import { embeddingAddress, llmAddress } from '../../shared/settings/ai-address.ts'
import type { SettingsStore } from '../../shared/store/settings-store.ts'
import type { UserStore } from '../accounts/user-store.ts'
import { type VisibleLibrariesPorts, visibleLibraries } from '../store/catalog/visible-libraries.ts'
import { type SetupStep, type SetupStore, setupSteps } from '../store/setup-store.ts'

export const SetupAnswer = z
  .object({
    steps: z.array(z.object({ name: z.enum(setupSteps), done: z.boolean(), skipped: z.boolean() })),
    complete: z.boolean().describe('Whether each step is done or skipped'),
  })
  .meta({ id: 'Setup' })

export type SetupPorts = VisibleLibrariesPorts & {
  setup: Pick<SetupStore, 'skipped'>
  settings: Pick<SettingsStore, 'get' | 'describe'>
  users: Pick<UserStore, 'initial'>
}

/** The steps of the first setup that are done. A step is done if its settings exist, also if they were made elsewhere. */
export function setupState(ports: SetupPorts): z.infer<typeof SetupAnswer> {
  const { setup, settings, users } = ports
  const shown = settings.describe()
  const done: Record<SetupStep, boolean> = {
    credentials: users.initial() === undefined,
    llm: llmAddress(settings.get).provider !== undefined,
    embedding: embeddingAddress(settings.get).provider !== undefined,
    git: shown['github.token'] !== null || shown['gitlab.token'] !== null,
    library: visibleLibraries(ports).length > 0,
  }
  const skipped = setup.skipped()
  const steps = setupSteps.map((name) => ({ name, done: done[name], skipped: !done[name] && skipped.has(name) }))
  return { steps, complete: steps.every((step) => step.done || step.skipped) }
}
