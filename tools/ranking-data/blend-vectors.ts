import { Command } from 'commander'
import { z } from 'zod'
import { readOption } from '../../shared/cli/read-option.ts'
import { runProgram } from '../../shared/cli/run-program.ts'
import { report } from './report.ts'
import { blendVectors } from './vectors/blend-vectors.ts'

const Count = z.coerce.number('must be a number').int('must be a whole number').min(1, 'must be 1 or more')
const Share = z.coerce.number('must be a number').min(0, 'must be 0 or more')
type Options = { vectors: string; model: string; out: string; dimensions: string; share: string }

const program = new Command('blend-vectors')
  .description(
    'Blends word vectors with those that a sentence encoder makes of each word, and writes model.json, vectors.i8 and weights.f32.',
  )
  .argument('<folders...>', 'checkouts of repositories, for the most frequent spelling of each stem')
  .requiredOption('--vectors <folder>', 'the word vectors')
  .requiredOption('--model <folder>', 'the sentence encoder')
  .requiredOption('--out <folder>', 'where the files are written')
  .option('--dimensions <number>', 'length of a vector', '96')
  .option('--share <number>', 'length of the part of the sentence encoder, relative to that of the word vectors', '1.5')
  .action((folders: string[], options: Options) =>
    blendVectors(
      folders,
      {
        ...options,
        dimensions: readOption('--dimensions', Count, options.dimensions),
        share: readOption('--share', Share, options.share),
      },
      report,
    ),
  )

await runProgram(() => program)
