/** True if this process belongs to a stage on AWS: SST sets variables for its linked resources. */
export const isStage = (env: Record<string, string | undefined>): boolean =>
  Object.keys(env).some((name) => name.startsWith('SST_RESOURCE_'))
