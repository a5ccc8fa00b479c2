/** The files of the public pages, next to the bundle of the function that serves them. */
export const pageFiles = [
  { from: 'functions/pages/assets', to: 'assets' },
  { from: 'shared/web/theme.css', to: 'theme.css' },
  { from: 'shared/web/fonts', to: 'fonts' },
]

/** CloudFront keeps no response longer. A deploy changes the addresses of files. */
export const maxCachedSeconds = 86_400
