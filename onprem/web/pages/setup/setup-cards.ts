import { z } from 'zod/mini'

/** The cards of the first setup, with a word for the list of steps. The step "credentials" has a separate page. */
export const setupCards = {
  library: {
    step: 'Library',
    title: 'Add your first library',
    text: 'Carrel reads the documentation of a repository, and your agents can search it.',
  },
  ask: {
    step: 'Ask',
    title: 'Ask it a question',
    text: 'This is what an agent gets. The playground has all options.',
  },
  connect: {
    step: 'Connect',
    title: 'Connect an agent',
    text: 'An editor or agent that is connected asks Carrel before it writes code.',
  },
  llm: {
    step: 'LLM',
    title: 'Choose an LLM Provider',
    text: 'A language model reranks answers and can write documentation. Without one, Carrel searches by words, which works well.',
  },
  embedding: {
    step: 'Embedding',
    title: 'Choose an Embedding Provider',
    text: 'Vectors find answers in other words than the question. Text search alone is a full choice.',
  },
  git: {
    step: 'Git hosts',
    title: 'Connect your git hosts',
    text: 'Public repositories of GitHub and GitLab need nothing. Add a token for private ones, or the address of your own server.',
  },
} as const
export type CardName = keyof typeof setupCards

/** The parameters in the address of the setup. */
export const setupSearch = z.object({
  step: z.catch(z.optional(z.enum(['credentials', 'library', 'ask', 'connect', 'llm', 'embedding', 'git', 'end'])), undefined),
})
