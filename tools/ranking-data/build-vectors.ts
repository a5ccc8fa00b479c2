import { Command } from 'commander'
import { z } from 'zod'
import { readOption } from '../../shared/cli/read-option.ts'
import { runProgram } from '../../shared/cli/run-program.ts'
import { report } from './report.ts'
import { buildVectors } from './vectors/build-vectors.ts'

const Count = z.coerce.number('must be a number').int('must be a whole number').min(1, 'must be 1 or more')
type Options = { out: string } & Record<'dimensions' | 'maxChunks' | 'minChunks' | 'minFolders', string>

const program = new Command('build-vectors')
  .description('Learns word vectors from documentation in English, and writes model.json, vectors.i8 and weights.f32.')
  .argument('<folders...>', 'checkouts of repositories, read as the server reads them')
  .requiredOption('--out <folder>', 'where the files are written')
  .option('--dimensions <number>', 'length of a vector', '100')
  .option('--max-chunks <number>', 'sections that are read of one folder', '15000')
  .option('--min-chunks <number>', 'sections that a word must occur in', '10')
  .option('--min-folders <number>', 'folders that a word must occur in', '3')
  .action((folders: string[], options: Options) =>
    buildVectors(
      folders,
      {
        out: options.out,
        dimensions: readOption('--dimensions', Count, options.dimensions),
        maxChunks: readOption('--max-chunks', Count, options.maxChunks),
        minChunks: readOption('--min-chunks', Count, options.minChunks),
        minFolders: readOption('--min-folders', Count, options.minFolders),
      },
      report,
    ),
  )

await runProgram(() => program)
