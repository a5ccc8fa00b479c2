import type { Network } from '../network/network.ts'
import { type AskProvider, providerClient } from './ask-provider.ts'
import type { LocalModels } from './local/local-models.ts'

/** State that outlives a change of the settings. */
export type AiRuntime = {
  ask: AskProvider
  local: LocalModels
  /** The vector length of each space, learned from responses. */
  knownDimensions: Map<string, number>
  /** Addresses whose endpoint sends vectors only as numbers, learned from refusals. */
  numbersOnly: Set<string>
}

export const aiRuntime = (network: Network, local: LocalModels): AiRuntime => ({
  ask: providerClient(network),
  local,
  knownDimensions: new Map(),
  numbersOnly: new Set(),
})
