/** Whether this process belongs to a stage on AWS: SST tells it what it is linked to. */
export const isStage = (env: Record<string, string | undefined>): boolean =>
  Object.keys(env).some((name) => name.startsWith('SST_RESOURCE_'))
