import type { DatabaseSync } from 'node:sqlite'

/** The steps of the first setup, in their order. */
export const setupSteps = ['credentials', 'library', 'ask', 'connect', 'llm', 'embedding', 'git'] as const
export type SetupStep = (typeof setupSteps)[number]

/** The steps that no setting and no library shows: the first question, and the first request of an agent. */
type ReachedStep = 'ask' | 'connect'

export type SetupStore = {
  /** The steps that an admin has skipped. */
  skipped(): Set<SetupStep>
  /** False if it was skipped before. */
  skip(step: SetupStep): boolean
  reached(step: ReachedStep): boolean
  /** Called for every question and every request of an agent, so it writes only once. */
  reach(step: ReachedStep): void
}

export function sqliteSetup(db: DatabaseSync): SetupStore {
  const reachedSteps = new Set<ReachedStep>()
  const find = db.prepare('SELECT 1 FROM reached_steps WHERE step = ?')
  const add = db.prepare('INSERT OR IGNORE INTO reached_steps (step) VALUES (?)')
  return {
    skipped: () =>
      new Set(
        db
          .prepare('SELECT step FROM skipped_steps')
          .all()
          .map(({ step }) => step as SetupStep),
      ),
    skip: (step) => db.prepare('INSERT OR IGNORE INTO skipped_steps (step) VALUES (?)').run(step).changes > 0,
    reached: (step) => find.get(step) !== undefined,
    reach(step) {
      if (reachedSteps.has(step)) return
      add.run(step)
      reachedSteps.add(step)
    },
  }
}
