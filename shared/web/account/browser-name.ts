const browsers = [
  ['Edge', /\bEdg\//],
  ['Firefox', /\bFirefox\//],
  ['Chrome', /Chrome\//],
  ['Safari', /\bSafari\//],
  ['curl', /^curl\//],
] as const
const systems = [
  ['Windows', /Windows/],
  ['Android', /Android/],
  ['iOS', /iPhone|iPad/],
  ['macOS', /Mac OS X/],
  ['Linux', /Linux|X11/],
] as const

/** "Firefox on Linux", or the name that the browser sends. */
export function browserName(userAgent: string): string {
  const [browser, system] = [browsers, systems].map((list) => list.find(([, pattern]) => pattern.test(userAgent))?.[0])
  if (browser === undefined) return userAgent.slice(0, 60) || 'Unknown'
  return system === undefined ? browser : `${browser} on ${system}`
}
