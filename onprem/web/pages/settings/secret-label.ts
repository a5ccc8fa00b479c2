import type { SecretName } from '../../../../shared/settings/settings.ts'

const labels: Record<SecretName, string> = {
  'github.token': 'token of GitHub',
  'gitlab.token': 'token of GitLab',
  'llm.apiKey': 'API key of the language model',
  'embedding.apiKey': 'API key of the embedding model',
}

/** A secret in a sentence. */
export const secretLabel = (name: string): string => labels[name as SecretName] ?? name
