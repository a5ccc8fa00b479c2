/** The sources of libraries that policies can switch on and off. The web UI reads them, so this file has no schema. */
export const sourceTypes = ['public_repos', 'private_sources', 'confluence', 'uploaded_files', 'websites', 'llmstxt'] as const
export type SourceType = (typeof sourceTypes)[number]
