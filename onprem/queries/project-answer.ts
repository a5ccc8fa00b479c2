import { z } from 'zod'
import { LibraryAnswer, libraryAnswer } from '../../shared/api/search.ts'
import type { Project } from '../store/catalog/project.ts'
import type { JobStore } from '../store/jobs/job-store.ts'
import { type UnservedPorts, unservedText } from './unserved-text.ts'

export const ProjectAnswer = LibraryAnswer.extend({
  sourceUrl: z.string(),
  commit: z.string().describe('Commit that is served'),
  imported: z.boolean(),
  private: z.boolean(),
  generated: z.boolean().describe('Whether a language model wrote the documentation'),
  lastReport: z.int().optional().describe('The newest job of the library that has a report'),
  statusMessage: z
    .string()
    .optional()
    .describe('For a library without content: the progress of its first parse or import, or why that failed'),
}).meta({ id: 'Project' })
export type ProjectAnswer = z.infer<typeof ProjectAnswer>

export type ProjectAnswerPorts = UnservedPorts & { jobs: Pick<JobStore, 'unserved' | 'lastReportOf'> }

export const projectAnswer = (ports: ProjectAnswerPorts, project: Project): ProjectAnswer => ({
  ...libraryAnswer(project),
  ...statusOf(ports, project),
  sourceUrl: project.sourceUrl,
  commit: project.commit,
  imported: project.imported,
  private: project.private,
  generated: project.generated,
  lastReport: ports.jobs.lastReportOf(project.id.toLowerCase()),
})

function statusOf(ports: ProjectAnswerPorts, { id, state }: Project): { statusMessage?: string } {
  if (state !== 'processing' && state !== 'error') return {}
  const unserved = ports.jobs.unserved.find(id.toLowerCase())
  return unserved ? { statusMessage: unservedText(ports, unserved) } : {}
}
