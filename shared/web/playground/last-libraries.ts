import { z } from 'zod/mini'
import { maxLibraries } from './playground-search.ts'

const key = 'carrel-playground-libraries'
const Stored = z.array(z.string()).check(z.maxLength(maxLibraries))

/** The libraries of the last question in this browser. Empty if it has none, or if its storage is blocked. */
export function lastLibraries(): string[] {
  try {
    return Stored.parse(JSON.parse(localStorage.getItem(key) ?? '[]'))
  } catch {
    return []
  }
}

export function rememberLibraries(ids: readonly string[]): void {
  try {
    localStorage.setItem(key, JSON.stringify(ids))
  } catch {
    // The next visit chooses no library.
  }
}
