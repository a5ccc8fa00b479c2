import type { DatabaseSync } from 'node:sqlite'

/** The steps of the first setup, in their order. */
export const setupSteps = ['credentials', 'llm', 'embedding', 'git', 'library'] as const
export type SetupStep = (typeof setupSteps)[number]

/** The steps that an admin has skipped. */
export type SetupStore = { skipped(): Set<SetupStep>; skip(step: SetupStep): void }

export function sqliteSetup(db: DatabaseSync): SetupStore {
  return {
    skipped: () =>
      new Set(
        db
          .prepare('SELECT step FROM skipped_steps')
          .all()
          .map(({ step }) => step as SetupStep),
      ),
    skip: (step) => void db.prepare('INSERT OR IGNORE INTO skipped_steps (step) VALUES (?)').run(step),
  }
}
