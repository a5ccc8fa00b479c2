import { z } from 'zod'
import { readEnvironment } from '../shared/settings/read-environment.ts'

/** SST and Docker copy only files that are in the checkout. */
const OwnMarkdown = z
  .string()
  .refine(
    (path) => /^[\w-][\w./ -]*\.md$/.test(path) && !path.includes('..'),
    'must be the path of a Markdown file in this checkout, such as operator/terms.md',
  )

/** TERMS_FILE and PRIVACY_FILE: the operator's Markdown files in this checkout. */
export const textFiles = readEnvironment(
  z.object({
    TERMS_FILE: OwnMarkdown.default('functions/pages/texts/terms.md'),
    PRIVACY_FILE: OwnMarkdown.default('functions/pages/texts/privacy.md'),
  }),
  process.env,
)

/** The files of the public pages, next to the bundle of the function that serves them. */
export const pageFiles = [
  { from: 'functions/pages/assets', to: 'assets' },
  { from: 'shared/web/theme.css', to: 'theme.css' },
  { from: 'shared/web/public/icon.svg', to: 'public/icon.svg' },
  { from: 'shared/web/fonts', to: 'fonts' },
  { from: textFiles.TERMS_FILE, to: 'terms.md' },
  { from: textFiles.PRIVACY_FILE, to: 'privacy.md' },
]

/** CloudFront keeps no response longer. A deploy changes the addresses of files. */
export const maxCachedSeconds = 86_400
