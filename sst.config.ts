/// <reference path="./.sst/platform/config.d.ts" />

// biome-ignore lint/style/noDefaultExport: SST reads it
export default $config({
  app: ({ stage }) => ({
    name: 'carrel',
    home: 'aws',
    removal: stage === 'production' ? 'retain' : 'remove',
    protect: stage === 'production',
    providers: {
      aws: {
        version: '7.20.0',
        // Named, so that AWS_REGION or a profile of a shell cannot create a second stage of this name elsewhere.
        ...(process.env.DEPLOY_REGION?.trim() && { region: process.env.DEPLOY_REGION.trim() as 'us-east-1' }),
        ...(process.env.DEPLOY_ACCOUNT?.trim() && { allowedAccountIds: [process.env.DEPLOY_ACCOUNT.trim()] }),
      },
    },
  }),
  run: async () => {
    const { router } = await import('./stacks/api.ts')
    const { dashboardRouter } = await import('./stacks/dashboard.ts')
    await import('./stacks/usage.ts')
    await import('./stacks/replay-usage.ts')
    await import('./stacks/start-worker.ts')
    await import('./stacks/bundle.ts')
    await import('./stacks/schedule.ts')
    await import('./stacks/checks.ts')
    await import('./stacks/backup.ts')
    const { failedUsage } = await import('./stacks/storage.ts')
    const { topic } = await import('./stacks/alarm-topics.ts')
    await import('./stacks/alarms.ts')
    await import('./stacks/cloudwatch-dashboard.ts')
    await import('./stacks/budget.ts')
    // The alarm UsageGivenUp means that this bucket has records to replay before they expire.
    return { url: router.url, dashboard: dashboardRouter.url, alarms: topic.arn, failedUsage: failedUsage.name }
  },
})
