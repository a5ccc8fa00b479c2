import type { SecretName, SettingName } from './settings.ts'

/** What each setting does, for people. The allowed values and the default are in the schema. */
export const settingMeanings: Record<SettingName | SecretName, string> = {
  'github.baseUrl': 'GitHub, or a GitHub Enterprise server',
  'github.token': 'token for private repositories on GitHub',
  'gitlab.baseUrl': 'GitLab, or your own GitLab server',
  'gitlab.token': 'token for private repositories on GitLab',
  'llm.provider': 'provider of the language model that improves snippets and reranks answers',
  'llm.model': 'language model; openai, anthropic and gemini have a default',
  'llm.baseUrl': 'endpoint of the language model, with its path; required for custom',
  'llm.apiKey': 'API key of the language model',
  'llm.rerank': 'what reranks answers: the language model if there is one, or a local model',
  'llm.rerankModel': 'local model that reranks',
  'embedding.provider': 'provider of embeddings; by default that of the language model, if it has embeddings',
  'embedding.model': 'embedding model; openai, gemini and bedrock have a default',
  'embedding.baseUrl': 'endpoint of the embedding model, with its path; required for custom',
  'embedding.apiKey': 'API key for embeddings; by default that of the language model, if both have the same provider and address',
  'embedding.dimensions': 'length of the vectors; by default that of the model',
  'aws.region': 'region of Bedrock; required for bedrock',
  'permissions.anonymousParse': 'everyone may add public repositories',
  'permissions.anonymousRefresh': 'everyone may refresh libraries',
  'permissions.anonymousDelete': 'everyone may delete libraries',
  'permissions.anonymousSupportBundle': 'everyone may download the support bundle',
  'permissions.requireMcpAuth': 'names and content require a key or a session, and /mcp a key',
  'mcp.allowedOrigins': 'web pages that may call /mcp',
  'import.requireSignature': 'reject bundles without a known signature',
  'bundle.trustedKeys': "keys whose signatures are accepted, besides the vendor's",
}
