import type { Network } from '../network/network.ts'
import { type AskProvider, providerClient } from './ask-provider.ts'

/** State that outlives a change of the settings. */
export type AiRuntime = {
  ask: AskProvider
  /** The vector length of each space, learned from responses. */
  knownDimensions: Map<string, number>
}

export const aiRuntime = (network: Network): AiRuntime => ({ ask: providerClient(network), knownDimensions: new Map() })
