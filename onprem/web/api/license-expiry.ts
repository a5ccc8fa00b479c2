import { pluralize } from '../../../shared/text/figures.ts'

const dayMs = 86_400_000
const soonDays = 30

const date = new Intl.DateTimeFormat(undefined, { dateStyle: 'long' })

/** A message about the end of a license. `left` completes "The license …". */
export function licenseExpiry(expiresAt: string, now: number) {
  const end = Date.parse(expiresAt)
  const days = Math.floor((end - now) / dayMs)
  const day = date.format(end)
  if (end <= now) return { state: 'expired', left: 'has expired', day, advice: afterExpiry } as const
  const left = days === 0 ? 'expires today' : `expires in ${pluralize(days, 'day')}`
  return { state: days < soonDays ? 'soon' : 'valid', left, day, advice: beforeExpiry } as const
}

const renewal = 'Ask your vendor for a new license, set LICENSE_KEY to it and restart the server.'
const afterExpiry = `Searches and questions still work. Imports, policies and the hosted service do not. ${renewal}`
const beforeExpiry = `After that, imports, policies and the hosted service stop. ${renewal}`
