import { items, nameOf, putObjects, readObjects, under } from './grants.ts'
import { lambda, oneProcessor } from './lambda.ts'
import { bundleKey } from './secrets.ts'
import { content, exported, table } from './storage.ts'

/** Builds a zip, or a large export, in the background. It is invoked asynchronously with the libraries and stores its progress. */
export const bundle = lambda('Bundle', {
  handler: 'functions/entries/bundle.handler',
  lance: true,
  memory: oneProcessor,
  // The maximum of Lambda: a zip of 50 libraries has up to 2 GB unpacked.
  timeout: '15 minutes',
  // Its status says that it failed; the caller tries again.
  retries: 0,
  link: [nameOf(table), nameOf(content), nameOf(exported), bundleKey],
  permissions: [
    under(['CATALOG#', 'DETAILS#'], items(table, 'GetItem')),
    under(['BUNDLE#'], items(table, 'PutItem')),
    ...readObjects(content),
    putObjects(exported, 'bundles/'),
    putObjects(exported, 'exports/'),
  ],
})
