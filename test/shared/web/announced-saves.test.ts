import { globSync, readFileSync } from 'node:fs'
import { expect, test } from 'vitest'

/** Mutations that save nothing, announce their result themselves, or open a page with it. */
const unannounced = [
  'functions/web/api/use-sign-out.ts signOut',
  'functions/web/pages/account/download-data.tsx download',
  'functions/web/pages/export/export-page.tsx edits',
  'functions/web/pages/export/past-exports.tsx download',
  'functions/web/pages/library/claim-library.tsx begin',
  'onprem/web/api/use-sign-out.ts signOut',
  'onprem/web/pages/add/use-preview.ts preview',
  'onprem/web/pages/allow-client/allow-client-page.tsx decide',
  'onprem/web/pages/connect/connection-test.tsx test',
  'onprem/web/pages/device/device-page.tsx decide',
  'onprem/web/pages/device/device-page.tsx find',
  'onprem/web/pages/home/attention.tsx refresh',
  'onprem/web/pages/libraries/choose-tags.tsx change',
  'onprem/web/pages/libraries/chosen-libraries.tsx refresh',
  'onprem/web/pages/library/library-actions.tsx remove',
  'onprem/web/pages/settings/feedback-list.tsx download',
  'onprem/web/pages/settings/support-page.tsx download',
  'onprem/web/pages/settings/use-settings-draft.ts test',
  'onprem/web/pages/sign-in/second-step-form.tsx finish',
  'onprem/web/pages/sign-in/sign-in-form.tsx signIn',
  'onprem/web/second-factor/confirm-password.tsx confirm',
  'shared/web/add/use-add-many.ts add',
  'shared/web/playground/rate-answer.tsx rating',
  'shared/web/usage/usage-report.tsx download',
]

const mutation = /(?:const (\w+) = |return )useMutation\(\{(?!\s*meta:)/g

test('every save of both web UIs is announced', () => {
  const files = globSync('{onprem,functions,shared}/web/**/*.{ts,tsx}', { exclude: ['**/dist/**'] })
  const silent = files.flatMap((file) =>
    [...readFileSync(file, 'utf8').matchAll(mutation)].map(([, name = 'signOut']) => `${file} ${name}`),
  )
  expect(silent.sort()).toEqual(unannounced)
})
