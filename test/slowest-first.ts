import { BaseSequencer, type TestSpecification } from 'vitest/node'

/** End-to-end files first: none of them, which are the slowest, runs alone at the end. */
export class SlowestFirst extends BaseSequencer {
  override async sort(files: TestSpecification[]): Promise<TestSpecification[]> {
    const sorted = await super.sort(files)
    const isSlow = ({ project }: TestSpecification) => project.name === 'e2e'
    return [...sorted.filter(isSlow), ...sorted.filter((file) => !isSlow(file))]
  }
}
