import type { DatabaseSync } from 'node:sqlite'

/** The steps of the first setup, in their order. */
export const setupSteps = ['credentials', 'llm', 'embedding', 'git', 'library'] as const
export type SetupStep = (typeof setupSteps)[number]

/** The steps that an admin has skipped. */
export type SetupStore = {
  skipped(): Set<SetupStep>
  /** False if it was skipped before. */
  skip(step: SetupStep): boolean
}

export function sqliteSetup(db: DatabaseSync): SetupStore {
  return {
    skipped: () =>
      new Set(
        db
          .prepare('SELECT step FROM skipped_steps')
          .all()
          .map(({ step }) => step as SetupStep),
      ),
    skip: (step) => db.prepare('INSERT OR IGNORE INTO skipped_steps (step) VALUES (?)').run(step).changes > 0,
  }
}
