import { z } from 'zod/mini'

/** The cards of the first setup. The step "credentials" has a separate page. */
export const setupCards = {
  llm: {
    title: 'Choose an LLM Provider',
    text: 'A language model reranks answers and can write documentation. Without one, Carrel searches by words, which works well.',
    skip: 'Continue without one',
  },
  embedding: {
    title: 'Choose an Embedding Provider',
    text: 'Vectors find answers in other words than the question. Text search alone is a full choice.',
    skip: 'Continue with text search',
  },
  git: {
    title: 'Connect your git hosts',
    text: 'Public repositories of GitHub and GitLab need nothing. Add a token for private ones, or the address of your own server.',
    skip: 'Skip for now',
  },
  library: {
    title: 'Add your first library',
    text: 'Carrel reads the documentation of a repository, and your agents can search it.',
    skip: 'Skip for now',
  },
} as const

/** The parameters in the address of the setup. */
export const setupSearch = z.object({
  step: z.catch(z.optional(z.enum(['credentials', 'llm', 'embedding', 'git', 'library'])), undefined),
})
