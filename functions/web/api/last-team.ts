import type { Team } from './session-query.ts'

const storageKey = 'carrel-teamspace'
let sinceLoad: string | null = null

/** The teamspace that this browser has shown last, otherwise the first one; undefined if there are none. */
export function lastTeam(teams: readonly Team[]): Team | undefined {
  const id = read()
  return teams.find((team) => team.id === id) ?? teams[0]
}

export function rememberTeam(id: string): void {
  sinceLoad = id
  try {
    localStorage.setItem(storageKey, id)
  } catch {
    // Storage is blocked or full: the first teamspace opens after the page was closed.
  }
}

function read(): string | null {
  try {
    return localStorage.getItem(storageKey)
  } catch {
    return sinceLoad
  }
}
