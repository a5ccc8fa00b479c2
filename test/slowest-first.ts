import { BaseSequencer, type TestSpecification } from 'vitest/node'

/** Slowest last. */
const slowProjects = ['stage', 'e2e']

/** End-to-end files first, then those of stages: none of them, which are the slowest, runs alone at the end. */
export class SlowestFirst extends BaseSequencer {
  override async sort(files: TestSpecification[]): Promise<TestSpecification[]> {
    const sorted = await super.sort(files)
    const slowness = ({ project }: TestSpecification) => slowProjects.indexOf(project.name)
    return sorted.toSorted((a, b) => slowness(b) - slowness(a))
  }
}
